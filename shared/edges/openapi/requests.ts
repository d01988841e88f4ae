/** What the gateway asks of a request in each protocol (contract §4). The rest is the vendor's; `null` is absent. */
import type { ProtocolName } from "../../base/http/routes.ts";
import { limits } from "../../base/limits.ts";
import * as s from "./schema.ts";

export const required = { type: "string", minLength: 1 };
const text = (example: string) => s.such(required, { examples: [example] });
export const model = (example: string) =>
  s.such(
    text(example),
    `An id or an alias of \`GET /api/v1/models\`, at most ${limits.modelNameBytesMax} bytes.`,
  );
const positive = s.orNull(s.such(s.integer, { minimum: 1 }));
const share = s.orNull(s.such(s.number, { minimum: 0, maximum: 1 }));
const temperature = s.orNull(s.such(s.number, { minimum: 0, maximum: 2 }));
const stop = {
  anyOf: [s.string, s.list(s.string), { type: "null" }],
  description: "One sequence, or several.",
};
export const user = s.orNull(
  s.such(s.string, `The end user, at most ${limits.userBytesMax} bytes; told in reports.`),
);
const stream = s.orNull(s.such(s.boolean, "True: the answer comes as server-sent events."));
const name = s.orNull(s.string);
const tools = s.orNull(s.list(s.anything));
const textOrParts = { anyOf: [s.string, s.list(s.anything)] };

const chat: s.Schema = s.object(
  {
    model: model("openai/gpt-5.4-mini"),
    messages: s.list(
      s.object(
        { role: s.such(s.string, "`system`, `user`, `assistant` and the vendor's other roles.") },
        { content: { anyOf: [...textOrParts.anyOf, { type: "null" }] } },
      ),
      { minItems: 1 },
    ),
  },
  {
    max_tokens: positive,
    max_completion_tokens: positive,
    temperature,
    top_p: share,
    stop,
    n: s.orNull(s.such(s.integer, { minimum: 1, maximum: limits.choicesMax })),
    stream,
    stream_options: s.orNull(s.object({}, { include_usage: s.orNull(s.boolean) })),
    user,
    tools,
    service_tier: name,
  },
);

const messages = {
  model: model("anthropic/claude-sonnet-4-6"),
  messages: s.list(s.object({ role: s.such(s.string, "`user` or `assistant`."), content: textOrParts }), {
    minItems: 1,
  }),
};

const maximum = s.such(s.integer, { minimum: 1 });
const options = {
  system: { anyOf: [...textOrParts.anyOf, { type: "null" }] },
  temperature,
  top_p: share,
  stop_sequences: stop,
  tools,
};

const anthropic: s.Schema = s.object(
  { ...messages, max_tokens: maximum },
  { ...options, stream, metadata: s.orNull(s.object({}, { user_id: user })), service_tier: name },
);

const invoke: s.Schema = s.object(
  { messages: messages.messages, max_tokens: maximum },
  {
    ...options,
    anthropic_version: s.such(s.string, "`bedrock-2023-05-31`."),
    anthropic_beta: s.such(s.orNull(s.list(s.string)), "Names of features in beta."),
  },
);

const blocks = s.list(s.object({}));

const converse: s.Schema = s.object(
  { messages: s.list(s.object({ role: { enum: ["user", "assistant"] }, content: blocks }), { minItems: 1 }) },
  {
    system: s.orNull(blocks),
    inferenceConfig: s.orNull(s.object({}, { maxTokens: positive, temperature: share, topP: share })),
    toolConfig: s.orNull(s.object({ tools: blocks })),
    additionalModelRequestFields: s.orNull(s.object({})),
  },
);

const responses: s.Schema = s.object(
  {
    model: model("openai/gpt-5.4-mini"),
    input: { anyOf: [required, s.list(s.object({}), { minItems: 1 })] },
  },
  {
    instructions: name,
    max_output_tokens: positive,
    temperature,
    top_p: share,
    stream,
    user,
    tools,
    service_tier: name,
  },
);

const content: s.Schema = s.object({ parts: s.list(s.anything) });
const contents = s.list(content, { minItems: 1 });

const gemini: s.Schema = s.object(
  { contents },
  { systemInstruction: s.orNull(content), generationConfig: s.orNull(s.object({})) },
);

const tokens = s.list(s.such(s.integer, { minimum: 0 }), { minItems: 1 });
const encoding = { enum: ["float", "base64", null], description: "The contract has `float` alone." };

const embeddings: s.Schema = s.object(
  {
    model: model("openai/text-embedding-3-small"),
    input: { anyOf: [required, s.list(required, { minItems: 1 }), tokens, s.list(tokens, { minItems: 1 })] },
  },
  { encoding_format: encoding, user },
);

export const address = s.object({ url: required });
export const typed = (type: string, value: s.Schema): s.Schema =>
  s.object({ type: { const: type }, [type]: value });

const multimodal: s.Schema = s.object(
  {
    model: model("byteplus/skylark-embedding-vision-250615"),
    input: s.list(
      { anyOf: [typed("text", required), typed("image_url", address), typed("video_url", address)] },
      { minItems: 1 },
    ),
  },
  { encoding_format: encoding, user },
);

const pictures = {
  size: name,
  response_format: name,
  n: s.orNull(s.such(s.integer, { minimum: 1, maximum: limits.imagesMax })),
  user,
  stream: s.such(stream, "Only some models stream pictures."),
};

const images = (example: string): s.Schema => s.object({ model: model(example), prompt: required }, pictures);

const edits = (example: string): s.Schema =>
  s.object(
    {
      model: model(example),
      prompt: required,
      image: { anyOf: [required, s.list(required, { minItems: 1 })], description: "Addresses or data URLs." },
    },
    pictures,
  );

/** The same fields in a form, whose pictures are files. */
export const editForm: s.Schema = s.object(
  {
    model: model("openai/gpt-image-1.5"),
    prompt: required,
    image: s.such(s.string, {
      contentMediaType: "application/octet-stream",
      description: "A file, or several.",
    }),
  },
  {
    mask: s.such(s.string, { contentMediaType: "application/octet-stream" }),
    size: s.string,
    n: s.such(s.integer, { minimum: 1, maximum: limits.imagesMax }),
    response_format: s.string,
    user: s.string,
  },
);

/** A request that the default catalog can answer. */
interface Request {
  schema: s.Schema;
  example: s.Schema;
  /** What stands in the path for `{model}`. */
  model?: string;
}

const hello = "Say hello.";
const picture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const spoken = { contents: [{ role: "user", parts: [{ text: hello }] }] };
const embedded = { content: { parts: [{ text: hello }] } };
const turns = [{ role: "user", content: hello }];

export const requests: Readonly<Record<ProtocolName, Request>> = {
  "openai-chat": { schema: chat, example: { model: "openai/gpt-5.4-mini", messages: turns } },
  "openai-responses": { schema: responses, example: { model: "openai/gpt-5.4-mini", input: hello } },
  anthropic: {
    schema: anthropic,
    example: { model: "anthropic/claude-sonnet-4-6", max_tokens: 200, messages: turns },
  },
  "bedrock-converse": {
    schema: converse,
    example: {
      messages: [{ role: "user", content: [{ text: hello }] }],
      inferenceConfig: { maxTokens: 200 },
    },
    model: "openai/gpt-5.4-mini",
  },
  "bedrock-invoke": {
    schema: invoke,
    example: { anthropic_version: "bedrock-2023-05-31", max_tokens: 200, messages: turns },
    model: "anthropic/claude-sonnet-4-6",
  },
  "anthropic-count": {
    schema: s.object(messages),
    example: { model: "anthropic/claude-sonnet-4-6", messages: turns },
  },
  gemini: { schema: gemini, example: spoken, model: "google/gemini-2.5-flash" },
  "gemini-count": {
    schema: s.object({}, { contents, generateContentRequest: s.orNull(s.object({})) }),
    example: spoken,
    model: "google/gemini-2.5-flash",
  },
  "gemini-embedding": {
    schema: s.object({ content }),
    example: embedded,
    model: "google/gemini-embedding-001",
  },
  "gemini-embeddings": {
    schema: s.object({
      requests: s.list(s.object({ content }), { minItems: 1, maxItems: limits.embeddedTextsMax }),
    }),
    example: { requests: [{ model: "models/google/gemini-embedding-001", ...embedded }] },
    model: "google/gemini-embedding-001",
  },
  "openai-embeddings": {
    schema: embeddings,
    example: { model: "openai/text-embedding-3-small", input: hello, encoding_format: "float" },
  },
  "ark-multimodal": {
    schema: multimodal,
    example: {
      model: "byteplus/skylark-embedding-vision-250615",
      input: [{ type: "text", text: hello }],
      encoding_format: "float",
    },
  },
  "openai-images": {
    schema: images("openai/gpt-image-1.5"),
    example: { model: "openai/gpt-image-1.5", prompt: "A cat in the rain." },
  },
  "ark-images": {
    schema: images("volcengine/doubao-seedream-4-0-250828"),
    example: { model: "volcengine/doubao-seedream-4-0-250828", prompt: "A cat in the rain." },
  },
  "zhipu-images": {
    schema: images("zhipu/cogview-4"),
    example: { model: "zhipu/cogview-4", prompt: "A cat in the rain." },
  },
  "openai-image-edits": {
    schema: edits("openai/gpt-image-1.5"),
    example: { model: "openai/gpt-image-1.5", prompt: "With a hat.", image: picture },
  },
  "ark-image-edits": {
    schema: edits("volcengine/doubao-seedream-4-0-250828"),
    example: { model: "volcengine/doubao-seedream-4-0-250828", prompt: "With a hat.", image: picture },
  },
};
