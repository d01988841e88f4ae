/** Points that somebody has typed. */

/** Whether a text is points above 0, as the server takes them. */
export function isPoints(text: string): boolean {
  return /^\d{1,15}(?:\.\d{1,18})?$/.test(text.trim()) && /[1-9]/.test(text);
}
