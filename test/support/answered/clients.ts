/** What the vendors' own SDKs make of an answer, in one form for all. */
import Anthropic from "@anthropic-ai/sdk";
import { type GenerateContentResponse, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { CrossingName } from "#shared/protocols/crossing.ts";
import type { Json } from "./said.ts";
import type { AnsweredClient, Seen, SeenCall } from "./seen.ts";

/** The answer that the next request of any SDK gets. */
let next: { bytes: Buffer; type: string } = { bytes: Buffer.alloc(0), type: "" };

const fetchNext = async (): Promise<Response> =>
  new Response(new Uint8Array(next.bytes), { status: 200, headers: { "content-type": next.type } });

/** Google's SDK takes no fetch of one's own. Gives what takes the answers away again. */
export function serveAnswers(): () => void {
  const before = globalThis.fetch;
  globalThis.fetch = fetchNext;
  return () => {
    globalThis.fetch = before;
  };
}

function answering<Read>(read: () => Promise<Read>, type: string): (bytes: Buffer) => Promise<Read> {
  return (bytes) => {
    next = { bytes, type };
    return read();
  };
}

const options = { apiKey: "k", baseURL: "http://sdk.test/v1", fetch: fetchNext, maxRetries: 0 };
const openai = new OpenAI(options);
const claude = new Anthropic({ ...options, baseURL: "http://sdk.test" });
const google = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: "http://sdk.test" } });

const json = "application/json";
const sse = "text/event-stream";

const parameters = { type: "object", properties: {} };
const hello = [{ role: "user" as const, content: "Hello" }];

function argsOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

type ChatMessage = OpenAI.ChatCompletionMessage & {
  reasoning_content?: string;
  reasoning_details?: { signature?: string; data?: string }[];
};

function fromChat({ choices, usage }: OpenAI.ChatCompletion, details = detailsIn(choices[0]?.message)): Seen {
  const [choice] = choices;
  if (!choice || choices.length !== 1) throw new Error("not one choice");
  const message = choice.message as ChatMessage;
  const calls = (message.tool_calls ?? []).map((call) => {
    if (call.type !== "function") throw new Error("a call of another kind");
    const { google: by } = (call as { extra_content?: { google?: Json } }).extra_content ?? {};
    const signature = by?.thought_signature;
    const { name, arguments: text } = call.function;
    return { id: call.id, name, args: argsOf(text), ...(typeof signature === "string" && { signature }) };
  });
  return {
    text: message.content ?? "",
    thoughts: message.reasoning_content ?? "",
    signatures: details,
    calls,
    ...(typeof message.refusal === "string" && { refusal: message.refusal }),
    stop: choice.finish_reason,
    ...(usage && {
      counts: {
        input: usage.prompt_tokens,
        cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
        output: usage.completion_tokens,
        reasoned: usage.completion_tokens_details?.reasoning_tokens ?? 0,
      },
    }),
  };
}

function detailsIn(message: unknown): string[] {
  const { reasoning_details: details = [] } = (message ?? {}) as Partial<ChatMessage>;
  return details.flatMap(({ signature, data }) => signature ?? data ?? []);
}

async function streamChat(): Promise<Seen> {
  const tools = chat.body.tools as OpenAI.ChatCompletionTool[];
  const stream = openai.chat.completions.stream({ model: "m", messages: hello, tools });
  const details: string[] = [];
  let thoughts = "";
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta as Partial<ChatMessage> | undefined;
    details.push(...detailsIn(delta));
    thoughts += delta?.reasoning_content ?? "";
  }
  return { ...fromChat(await stream.finalChatCompletion(), details), thoughts };
}

const chatNames = ["weather", "x".repeat(64), "get-place"];

const chat: AnsweredClient = {
  tools: chatNames.map((name) => ({ name })),
  body: {
    model: "m",
    messages: hello,
    tools: chatNames.map((name) => ({ type: "function", function: { name, parameters } })),
  },
  whole: answering(
    async () => fromChat(await openai.chat.completions.create({ model: "m", messages: hello })),
    json,
  ),
  streamed: answering(streamChat, sse),
};

function fromAnthropic(message: Anthropic.Message): Seen {
  const { content, stop_reason, stop_details, usage } = message;
  const texts = content.map((block) => (block.type === "text" ? block.text : ""));
  const thoughts = content.filter((block) => block.type === "thinking");
  const calls = content.filter((block) => block.type === "tool_use");
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return {
    text: texts.join(""),
    thoughts: thoughts.map(({ thinking }) => thinking).join(""),
    signatures: content.flatMap((block) =>
      block.type === "thinking" ? block.signature : "data" in block ? (block.data as string) : [],
    ),
    calls: calls.map(({ id, name, input }) => ({ id, name, args: input })),
    order: content.flatMap((block) =>
      block.type === "text" ? `text ${block.text}` : block.type === "tool_use" ? `call ${block.id}` : [],
    ),
    ...(stop_details?.explanation && { refusal: stop_details.explanation }),
    stop: String(stop_reason),
    counts: {
      input: input + (read ?? 0) + (written ?? 0),
      cached: read ?? 0,
      output: usage.output_tokens,
      reasoned: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  };
}

const anthropic: AnsweredClient = {
  tools: [{ name: "weather" }, { name: "y".repeat(128) }, { name: "Task" }],
  body: {
    model: "m",
    max_tokens: 100,
    messages: hello,
    tools: ["weather", "y".repeat(128), "Task"].map((name) => ({ name, input_schema: parameters })),
  },
  whole: answering(
    async () => fromAnthropic(await claude.messages.create({ model: "m", max_tokens: 9, messages: hello })),
    json,
  ),
  streamed: answering(async () => {
    const stream = claude.messages.stream({ model: "m", max_tokens: 9, messages: hello });
    return fromAnthropic(await stream.finalMessage());
  }, sse),
};

function fromGemini(chunks: GenerateContentResponse[]): Seen {
  const candidates = chunks.flatMap((chunk) => chunk.candidates ?? []);
  const parts = candidates.flatMap(({ content }) => content?.parts ?? []);
  const calls = parts.flatMap(({ functionCall: call, thoughtSignature: by }) =>
    call
      ? [
          {
            id: call.id ?? "",
            name: call.name ?? "",
            args: call.args,
            ...(by !== undefined && { signature: by }),
          },
        ]
      : [],
  );
  const last = candidates.at(-1);
  const usage = chunks.at(-1)?.usageMetadata;
  const said = (isThought: boolean) =>
    parts.map(({ text, thought }) => ((thought ?? false) === isThought ? (text ?? "") : "")).join("");
  return {
    text: said(false),
    thoughts: said(true),
    signatures: parts.flatMap(({ thoughtSignature, functionCall }) =>
      functionCall ? [] : (thoughtSignature ?? []),
    ),
    calls,
    order: parts.flatMap(({ text, thought, functionCall }) =>
      functionCall ? `call ${functionCall.id}` : text && !thought ? `text ${text}` : [],
    ),
    stop: String(last?.finishReason),
    ...(usage && {
      counts: {
        input: usage.promptTokenCount ?? 0,
        cached: usage.cachedContentTokenCount ?? 0,
        output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
        reasoned: usage.thoughtsTokenCount ?? 0,
      },
    }),
  };
}

const geminiNames = ["calendar.read", "docs:search", "weather"];

const gemini: AnsweredClient = {
  tools: geminiNames.map((name) => ({ name })),
  body: {
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    tools: [{ functionDeclarations: geminiNames.map((name) => ({ name })) }],
  },
  whole: answering(
    async () => fromGemini([await google.models.generateContent({ model: "m", contents: "Hello" })]),
    json,
  ),
  streamed: answering(async () => {
    const stream = await google.models.generateContentStream({ model: "m", contents: "Hello" });
    return fromGemini(await Array.fromAsync(stream));
  }, sse),
};

function fromResponses({ output, usage, ...response }: OpenAI.Responses.Response): Seen {
  const contents = output.flatMap((item) => (item.type === "message" ? item.content : []));
  const refusals = contents.flatMap((part) => (part.type === "refusal" ? part.refusal : []));
  const calls = output.flatMap((item): SeenCall[] => {
    if (item.type !== "function_call" && item.type !== "custom_tool_call") return [];
    const { call_id: id, name, namespace } = item;
    const args = item.type === "custom_tool_call" ? item.input : argsOf(item.arguments);
    const signature = (item as { extra_content?: { google?: Json } }).extra_content?.google
      ?.thought_signature;
    return [
      {
        id,
        name,
        args,
        ...(namespace != null && { namespace }),
        ...(typeof signature === "string" && { signature }),
      },
    ];
  });
  const reasoning = output.filter((item) => item.type === "reasoning");
  const reason = response.incomplete_details?.reason;
  return {
    text: contents.map((part) => (part.type === "output_text" ? part.text : "")).join(""),
    thoughts: reasoning.flatMap(({ summary }) => summary.map(({ text }) => text)).join(""),
    signatures: reasoning.flatMap(({ encrypted_content: by }) => by ?? []),
    calls,
    order: output.flatMap((item) =>
      item.type === "message"
        ? item.content.flatMap((part) => (part.type === "output_text" ? `text ${part.text}` : []))
        : "call_id" in item
          ? `call ${item.call_id}`
          : [],
    ),
    ...(refusals.length > 0 && { refusal: refusals.join("") }),
    stop: reason ? `${response.status} ${reason}` : String(response.status),
    ...(usage && {
      counts: {
        input: usage.input_tokens,
        cached: usage.input_tokens_details.cached_tokens,
        output: usage.output_tokens,
        reasoned: usage.output_tokens_details.reasoning_tokens,
      },
    }),
  };
}

const responses: AnsweredClient = {
  tools: [
    { name: "search", namespace: "mcp__docs" },
    { name: "apply_patch", takes_text: true },
    { name: "shell" },
  ],
  body: {
    model: "m",
    input: "Hello",
    store: false,
    tools: [
      { type: "namespace", name: "mcp__docs", tools: [{ type: "function", name: "search", parameters }] },
      { type: "custom", name: "apply_patch" },
      { type: "function", name: "shell", parameters },
    ],
  },
  whole: answering(
    async () => fromResponses(await openai.responses.create({ model: "m", input: "Hello" })),
    json,
  ),
  streamed: answering(async () => {
    const stream = openai.responses.stream({ model: "m", input: "Hello" });
    return fromResponses(await stream.finalResponse());
  }, sse),
};

export const answeredClients: Record<CrossingName, AnsweredClient> = {
  "openai-chat": chat,
  anthropic,
  gemini,
  "openai-responses": responses,
};
