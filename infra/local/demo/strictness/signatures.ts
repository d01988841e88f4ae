/**
 * Signatures as the providers of the tests issue them. The real ones are secrets of their vendors; these can be told
 * from each other and from anything else, so that a provider refuses what another one signed.
 */
import { createHash } from "node:crypto";

/** Who signs reasoning: Anthropic's blocks, OpenAI's encrypted items, Google's thoughts. */
export type Signer = "anthropic" | "openai" | "gemini";

/** OpenAI's begin like this. */
const openings: Record<Signer, string> = { anthropic: "", openai: "gAAAAAB", gemini: "" };

const sealed = (signer: Signer, about: string) =>
  createHash("sha256").update(`${signer}:${about}`).digest("hex").slice(0, 12);

/** The signature of some reasoning: base64, the same for the same text. */
export function issueSignature(signer: Signer, about: string): string {
  const text = `${signer}:${sealed(signer, about)}:${about}`;
  return openings[signer] + Buffer.from(text).toString("base64");
}

/** Whether a signer issued it. Google's may come back in the other alphabet of base64. */
export function isIssued(signer: Signer, signature: unknown): boolean {
  if (typeof signature !== "string" || !signature.startsWith(openings[signer])) return false;
  const text = Buffer.from(signature.slice(openings[signer].length), "base64").toString();
  const [name, seal, ...about] = text.split(":");
  return name === signer && seal === sealed(signer, about.join(":"));
}
