/** The name of a channel on the board (shared/routing/README.md "The board"). */
import { hash } from "node:crypto";

const characters = 6;
/** Letters and digits only, so that the id may stand in any attribute's name, key and header. */
const base = 36;

/**
 * Six characters for a provider, its name for the model, and the name of the secret that it is called with. Any other
 * channel of the same model has another id, except once in two thousand million pairs.
 */
export function channelId(provider: string, model: string, secretName: string): string {
  // As JSON, no name can run into the next one.
  const digest = hash("sha256", JSON.stringify([provider, model, secretName]), "buffer");
  const number = digest.readUIntBE(0, 6) % base ** characters;
  return number.toString(base).padStart(characters, "0");
}
