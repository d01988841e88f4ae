/** Which refusals are about reasoning that a provider cannot read. The messages are those that users have posted. */
import { expect, test } from "vitest";
import { refusesReasoning } from "#shared/calls/upstreams/foreign-reasoning.ts";
import { readProviderError } from "#shared/calls/upstreams/provider-error.ts";

const errorOf = (error: object) => readProviderError(Buffer.from(JSON.stringify({ error })));

test.each([
  { code: "invalid_encrypted_content", message: "any" },
  { code: "thinking_signature_invalid", message: "any" },
  { message: "The encrypted content gAAA...x8= could not be verified. Reason: it could not be decrypted." },
  { type: "invalid_request_error", message: "messages.1.content.0: Invalid `signature` in `thinking` block" },
  { status: "INVALID_ARGUMENT", message: "Corrupted thought signature." },
  { status: "INVALID_ARGUMENT", message: "Thought signature is not valid" },
])("%j is one", (error) => {
  expect(refusesReasoning(errorOf(error))).toBe(true);
});

test.each([
  { code: "context_length_exceeded", message: "too long" },
  { type: "invalid_request_error", message: "messages.1.content.0: text is empty" },
  { message: "You wrote: Invalid `signature` in `thinking` block" },
  { message: "Function call is missing a thought_signature in functionCall parts." },
  {},
])("%j is none", (error) => {
  expect(refusesReasoning(errorOf(error))).toBe(false);
});
