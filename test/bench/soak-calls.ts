/**
 * The calls of the soak: every route in every form, streams that are cut, large bodies, and requests that are refused.
 */
import { type ProtocolName, type Route, routes } from "#shared/base/http/routes.ts";

export interface SoakCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The client goes away after the first bytes of the answer. */
  isCut?: true;
  /** No provider can answer it. */
  isUnserved?: true;
}

/** What gives a number from 0 up to 1. */
type Chance = () => number;

const text = (bytes: number) => "lorem ipsum ".repeat(Math.ceil(bytes / 12)).slice(0, bytes);
const largeBytes = 1024 * 1024;

/** Of every vendor one, so that pass-through and all crossings have their turns. */
const chatModels = [
  "openai/gpt-5.4-mini",
  "anthropic/claude-haiku-4-5",
  "google/gemini-3.5-flash",
  "volcengine/doubao-seed-1-8-251228",
  "zhipu/glm-4-7",
];

/** Its provider cannot be reached (soak.ts). */
const brokenModel = "minimax/MiniMax-M2.5";
export const brokenProvider = "minimax";

const messagesOf = (content: string) => [{ role: "user", content }];
const contentsOf = (content: string) => [{ role: "user", parts: [{ text: content }] }];

interface Wish {
  model: string;
  content: string;
  stream: boolean;
}

/** The body of a call of each protocol. Those whose path names the model ignore the wish's. */
const bodies: Record<ProtocolName, (wish: Wish) => object> = {
  "openai-chat": ({ model, content, stream }) => ({
    model,
    max_tokens: 60,
    stream,
    messages: messagesOf(content),
  }),
  "openai-responses": ({ model, content, stream }) => ({
    model,
    max_output_tokens: 60,
    stream,
    input: content,
  }),
  anthropic: ({ model, content, stream }) => ({
    model,
    max_tokens: 60,
    stream,
    messages: messagesOf(content),
  }),
  "bedrock-converse": ({ content }) => ({
    messages: [{ role: "user", content: [{ text: content }] }],
    inferenceConfig: { maxTokens: 60 },
  }),
  "bedrock-invoke": ({ content }) => ({ max_tokens: 60, messages: messagesOf(content) }),
  gemini: ({ content }) => ({
    contents: contentsOf(content),
    generationConfig: { maxOutputTokens: 60 },
  }),
  "anthropic-count": ({ model, content }) => ({ model, messages: messagesOf(content) }),
  "gemini-count": ({ content }) => ({ contents: contentsOf(content) }),
  "openai-embeddings": () => ({ model: "openai/text-embedding-3-small", input: "A lamp." }),
  "ark-multimodal": () => ({
    model: "byteplus/skylark-embedding-vision-250615",
    input: [{ type: "text", text: "A lamp." }],
  }),
  "gemini-embedding": () => ({ content: { parts: [{ text: "A lamp." }] } }),
  "gemini-embeddings": () => ({ requests: [{ content: { parts: [{ text: "A lamp." }] } }] }),
  "openai-images": () => ({ model: "openai/gpt-image-1-mini", prompt: "A lamp." }),
  "ark-images": () => ({ model: "volcengine/doubao-seedream-4-0-250828", prompt: "A lamp." }),
  "zhipu-images": () => ({ model: "zhipu/cogview-4", prompt: "A lamp." }),
  "openai-image-edits": () => ({}),
  "ark-image-edits": () => ({
    model: "volcengine/doubao-seedream-4-0-250828",
    prompt: "A lamp.",
    image: "data:image/png;base64,aGVsbG8=",
  }),
};

const boundary = "soak-soak-soak";
const form = [
  `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\nopenai/gpt-image-1-mini\r\n`,
  `--${boundary}\r\ncontent-disposition: form-data; name="prompt"\r\n\r\nA lamp.\r\n`,
  `--${boundary}\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n`,
  `content-type: image/png\r\n\r\n${text(1000)}\r\n--${boundary}--\r\n`,
].join("");

/** Gives the next call. What it chooses follows from `chance` alone. */
export function nextCall(key: string, chance: Chance): SoakCall {
  const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(chance() * items.length)] as Item;
  const share = chance();
  if (share < 0.6) return callOf(oneOf(chats), key, chance, 900);
  if (share < 0.7) return { ...callOf(oneOf(chats), key, () => 0, 900), isCut: true };
  if (share < 0.72) return callOf(oneOf(chats), key, chance, largeBytes);
  if (share < 0.8) return oneOf(refused)(key);
  // A video task runs a workflow for some seconds.
  return callOf(oneOf(share < 0.81 ? routes : others), key, chance, 900);
}

const chats = routes.filter(
  (route) =>
    "protocol" in route && /^(?:openai-chat|openai-responses|anthropic|gemini)$/.test(route.protocol),
);
const others = routes.filter((route) => !chats.includes(route) && route.operation !== "create_task");

/** A call to a route of the table, with what its path and its protocol need. */
function callOf(route: Route, key: string, chance: Chance, bytes: number): SoakCall {
  const model = chatModels[Math.floor(chance() * chatModels.length)] ?? "";
  const stream = chance() < 0.6;
  const isEmbedding = "protocol" in route && route.protocol.startsWith("gemini-embed");
  const pathModel = isEmbedding ? "google/gemini-embedding-001" : "google/gemini-3.5-flash";
  const action = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const path = route.path
    .replace("{model_action}", `${model}:${action}`)
    .replace("{model}", pathModel)
    .replace("{id}", "req_00000000000000000000000000");
  const headers = {
    authorization: `Bearer ${key}`,
    ...(route.client === "anthropic" && { "anthropic-version": "2023-06-01" }),
    ...(route.client === "gemini" && { "x-goog-api-key": key }),
  };
  const call = { method: route.method, path: withPeriod(path), headers };
  if (route.method !== "POST") return call;
  const isForm = "protocol" in route && route.protocol === "openai-image-edits";
  const type = isForm ? `multipart/form-data; boundary=${boundary}` : "application/json";
  const body = isForm ? form : JSON.stringify(bodyOf(route, { model, content: text(bytes), stream }));
  return { ...call, headers: { ...headers, "content-type": type }, body };
}

function bodyOf(route: Route, wish: Wish): object {
  if ("protocol" in route) return bodies[route.protocol](wish);
  if (route.operation === "create_key") return { name: "soak" };
  return {
    model: "byteplus/advanced-video-generation-2-0-fast",
    content: [{ type: "text", text: "A lamp." }],
  };
}

/** Reports ask for a range; the others do not read it. */
function withPeriod(path: string): string {
  if (!path.endsWith("/usage")) return path;
  const day = 86_400_000;
  const instant = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
  return `${path}?from=${instant(Date.now() - day)}&to=${instant(Date.now() + day)}`;
}

const chat = (key: string, body: string): SoakCall => ({
  method: "POST",
  path: "/v1/chat/completions",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body,
});

/** What is refused before a provider is asked, and what no provider answers. */
const refused: ((key: string) => SoakCall)[] = [
  (key) => chat(key, "{"),
  (key) => chat(key, JSON.stringify({ model: "nobody/nothing", messages: messagesOf("Hello") })),
  (key) => chat(key, JSON.stringify({ model: chatModels[0], messages: [] })),
  (key) => ({
    ...chat(key, JSON.stringify({ model: brokenModel, messages: messagesOf("Hello") })),
    isUnserved: true,
  }),
  () => chat("sk-nobody", JSON.stringify({ model: chatModels[0], messages: messagesOf("Hello") })),
  () => ({ method: "GET", path: "/v1/models", headers: {} }),
  (key) => ({ method: "GET", path: "/v1/nothing", headers: { authorization: `Bearer ${key}` } }),
];
