/** A refusal of reasoning that another account or host has signed (shared/calls/routing/README.md "Reasoning"). */
import { namesOf, type ProviderError } from "./provider-error.ts";

const names = new Set(["invalid_encrypted_content", "thinking_signature_invalid"]);

/** Beginnings of messages. A quoted prompt comes only after such a beginning. */
const messages = [
  /^the encrypted content \S{1,80} could not be (?:verified|decrypted)/i,
  /^(?:messages\.\d+\.content\.\d+: )?invalid [`'"]?signature[`'"]? in [`'"]?thinking[`'"]? block/i,
  /^(?:corrupted thought signature|thought signature is (?:not valid|invalid))/i,
];

/** Whether a provider refuses a request for reasoning in it that it cannot read. */
export function refusesReasoning(error: ProviderError): boolean {
  if (namesOf(error).some((name) => names.has(name))) return true;
  const { message } = error;
  return message !== undefined && messages.some((pattern) => pattern.test(message));
}
