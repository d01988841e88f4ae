/** Refusals of requests as the vendors send them. */
import type { Meaning, VendorForm } from "#shared/calls/upstreams/refusal-codes.ts";

export const openai = (message: string, code: string | null, param: string | null = null) => ({
  error: { message, type: "invalid_request_error", param, code },
});
export const anthropic = (message: string, type = "invalid_request_error") => ({
  type: "error",
  error: { type, message },
  request_id: "req_011CZS5W85Zp4arFkumimgmC",
});
const gemini = (message: string) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } });
export const ark = (code: string, message: string, param = "") => ({
  error: { code, message: `${message} Request id: 021772413947435d24b0`, param, type: "BadRequest" },
});
export const zhipu = (code: string, message: string) => ({ error: { code, message } });

type Recorded = [vendor: VendorForm, meaning: Meaning, body: object, counts?: { count: string; max: string }];
/** What means something that applications branch on. */
export const recorded: Recorded[] = [
  [
    "openai",
    "context_length",
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 150123 tokens. Please reduce the length of the messages.",
      "context_length_exceeded",
      "messages",
    ),
    { count: "150123", max: "128000" },
  ],
  [
    "openai",
    "context_length",
    openai(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
      "input",
    ),
  ],
  [
    "openai",
    "context_length",
    {
      object: "error",
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5024 tokens (1024 in the messages, 4000 in the completion).",
      type: "BadRequestError",
      code: 400,
    },
    { count: "5024", max: "4096" },
  ],
  [
    "anthropic",
    "context_length",
    anthropic("prompt is too long: 207368 tokens > 200000 maximum"),
    { count: "207368", max: "200000" },
  ],
  [
    "anthropic",
    "context_length",
    anthropic(
      "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
    ),
  ],
  [
    "gemini",
    "context_length",
    gemini("The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."),
    { count: "1200293", max: "1048576" },
  ],
  [
    "gemini",
    "context_length",
    gemini("The input token count exceeds the maximum number of tokens allowed (1048576)."),
  ],
  [
    "ark",
    "context_length",
    ark("InvalidParameter", "Total tokens of image and text exceed max message tokens."),
  ],
  ["zhipu", "context_length", zhipu("1261", "Prompt 超长")],
  ["openai", "content_filter", openai("The response was filtered.", "content_filter", "prompt")],
  [
    "images",
    "content_filter",
    openai("Your request was rejected as a result of our safety system.", "content_policy_violation"),
  ],
  ["anthropic", "content_filter", anthropic("Output blocked by content filtering policy")],
  [
    "ark",
    "content_filter",
    ark(
      "InputTextSensitiveContentDetected",
      "The request failed because the input text may contain sensitive information.",
    ),
  ],
  ["zhipu", "content_filter", zhipu("1301", "系统检测到输入或生成内容可能包含不安全或敏感内容")],
  [
    "openai",
    "image_address",
    openai("Error while downloading the picture.", "invalid_image_url", "messages[0].content[1]"),
  ],
  ["anthropic", "image_address", anthropic("Unable to download the file. Please verify the URL.")],
  [
    "gemini",
    "image_address",
    gemini("Cannot fetch content from the provided URL. Please ensure it is valid."),
  ],
  ["ark", "image_address", ark("InvalidImageURL.EmptyURL", "The image url is empty.")],
  ["openai", "image_content", openai("You uploaded an unsupported image.", "image_parse_error")],
  ["anthropic", "image_content", anthropic("Could not process image")],
  ["gemini", "image_content", gemini("Unable to process input image. Please retry.")],
  ["ark", "image_content", ark("InvalidImageURL.InvalidFormat", "The image format is not valid.")],
  ["zhipu", "image_content", zhipu("1210", "图片输入格式/解析错误")],
  [
    "openai",
    "unsupported_parameter",
    openai(
      "Unsupported parameter: 'max_tokens' is not supported with this model.",
      "unsupported_parameter",
      "max_tokens",
    ),
  ],
  ["anthropic", "unsupported_parameter", anthropic("`temperature` is deprecated for this model.")],
  ["anthropic", "unsupported_parameter", anthropic("seed: Extra inputs are not permitted")],
  [
    "gemini",
    "unsupported_parameter",
    gemini('Invalid JSON payload received. Unknown name "foo": Cannot find field.'),
  ],
  [
    "openai",
    "unsupported_value",
    openai(
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      "unsupported_value",
      "temperature",
    ),
  ],
  ["gemini", "unsupported_value", gemini("Budget 0 is invalid. This model only works in thinking mode.")],
  ["anthropic", "request_too_large", anthropic("Request exceeds the maximum size", "request_too_large")],
];
/** What does not. */
export const unknown: [vendor: VendorForm, body: object][] = [
  ["openai", openai("Invalid type for 'messages'.", "invalid_type", "messages")],
  ["anthropic", anthropic("messages: roles must alternate")],
  ["gemini", gemini("Please use a valid role: user, model.")],
  [
    "ark",
    ark(
      "InvalidParameter",
      "The parameter `max_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 4096, but got 8192 instead.",
      "max_tokens",
    ),
  ],
  ["zhipu", zhipu("1214", "messages 参数非法")],
];
