/** The form of all refresh tokens: two ids, a generation and their HMAC. Nothing secret is stored. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** What a token says: whose it is, and its generation. */
export interface Generation {
  ids: readonly [string, string];
  generation: number;
}

/** The token: `first.second.generation.HMAC`. */
export function writeGeneration(said: Generation, key: Buffer): string {
  return `${spoken(said)}.${proofOf(said, key).toString("base64url")}`;
}

/** What a text says that was made with one of these keys; undefined for any other text. The ids may be any texts. */
export function readGeneration(text: string, keys: readonly Buffer[]): Generation | undefined {
  const [first = "", second = "", digits = "", proof = "", ...rest] = text.split(".");
  if (rest.length > 0 || !/^[1-9]\d{0,8}$/.test(digits) || !/^[\w-]{43}$/.test(proof)) return undefined;
  const said: Generation = { ids: [first, second], generation: Number(digits) };
  const given = Buffer.from(proof, "base64url");
  return keys.some((key) => timingSafeEqual(given, proofOf(said, key))) ? said : undefined;
}

function spoken({ ids: [first, second], generation }: Generation): string {
  return `${first}.${second}.${generation}`;
}

function proofOf(said: Generation, key: Buffer): Buffer {
  return createHmac("sha256", key).update(spoken(said)).digest();
}
