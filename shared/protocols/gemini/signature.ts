/**
 * Signatures of reasoning on their way through Gemini's `thoughtSignature`. The field is bytes: Google's
 * SDKs may refuse what is not base64, and some write it back in the other base64 alphabet. So what another
 * vendor signed travels inside base64 of our own, and comes out as it went in.
 */
const mark = "gateway-signature:";

/**
 * The sentinel Google documents for calls its models did not make themselves, or whose signature a client
 * lost: without one, Gemini 3 refuses the history (protocols.md pitfall 10).
 */
export const unsigned = "skip_thought_signature_validator";

export interface Signed {
  signature: string;
  /** Anthropic's `redacted_thinking`. */
  redacted?: true;
}

/** Another vendor's signature as a Gemini client can keep it. */
export function sealSignature({ signature, redacted }: Signed): string {
  return Buffer.from(`${mark}${redacted ? "redacted" : ""}:${signature}`).toString("base64");
}

/** A signature from a Gemini client or provider: what was sealed is opened, anything else is Google's own. */
export function openSignature(value: unknown): Signed | undefined {
  if (typeof value !== "string" || value === "" || value === unsigned) return undefined;
  const text = Buffer.from(value, "base64").toString("utf8");
  if (!text.startsWith(mark)) return { signature: value };
  const end = text.indexOf(":", mark.length);
  const signature = text.slice(end + 1);
  return text.slice(mark.length, end) === "redacted" ? { signature, redacted: true } : { signature };
}
