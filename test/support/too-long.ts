/** A refusal that providers of the tests make without a rule: the request is longer than the model's context. */

/** How each vendor says that a request does not fit into the model's context. */
export function tooLong(path: string): Record<string, unknown> {
  if (path.endsWith("/v1/messages")) {
    const message = "prompt is too long: 210000 tokens > 200000 maximum";
    return { type: "error", error: { type: "invalid_request_error", message } };
  }
  if (path.includes(":")) {
    const message = "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).";
    return { error: { code: 400, message, status: "INVALID_ARGUMENT" } };
  }
  const message =
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.";
  const param = path.endsWith("/responses") ? "input" : "messages";
  return { error: { message, type: "invalid_request_error", param, code: "context_length_exceeded" } };
}
