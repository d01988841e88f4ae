/** The tax id of a company in China: the unified social credit code of GB 32100-2015. */

/** Digits and letters without I, O, S, V and Z. A character's value is its place. */
const alphabet = "0123456789ABCDEFGHJKLMNPQRTUWXY";
const code = new RegExp(`^[${alphabet}]{2}\\d{6}[${alphabet}]{10}$`);

/** The character that ends a code, after its first 17 characters. They are weighted by the powers of 3 modulo 31. */
export function checkCharacter(first17: string): string {
  let [sum, weight] = [0, 1];
  for (const character of first17) {
    sum += alphabet.indexOf(character) * weight;
    weight = (weight * 3) % 31;
  }
  return alphabet.charAt((31 - (sum % 31)) % 31);
}

/** Whether a text is such a code with the right check character. Letters must be capitals. */
export function isCreditCode(text: string): boolean {
  return code.test(text) && checkCharacter(text.slice(0, 17)) === text.charAt(17);
}
