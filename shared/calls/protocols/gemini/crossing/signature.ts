/** Signatures in Gemini's `thoughtSignature`. The field is bytes: Google's SDKs may write them in either base64. */
import { type Signed, untag } from "../../../chat/signature.ts";

/** Google's sentinel for calls without its signature, which Gemini 3 refuses otherwise (protocols.md pitfall 10). */
export const unsigned = "skip_thought_signature_validator";

/** A signature from a Gemini client or provider, as it stands there. A tag says whether what it signs was redacted. */
export function readSignature(value: unknown): Signed | undefined {
  if (typeof value !== "string" || value === "" || value === unsigned) return undefined;
  return untag(value)?.redacted ? { signature: value, redacted: true } : { signature: value };
}
