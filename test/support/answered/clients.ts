/** What the vendors' own SDKs make of an answer, in one form for all. */
import type Anthropic from "@anthropic-ai/sdk";
import type { GenerateContentResponse } from "@google/genai";
import type OpenAI from "openai";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { chatClient } from "./chat-clients.ts";
import { converseClient } from "./converse-client.ts";
import type { Json } from "./said.ts";
import { answering, argsOf, claude, google, hello, json, openai, parameters, sse } from "./sdks.ts";
import type { AnsweredClient, Seen, SeenCall } from "./seen.ts";

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
  "openai-chat": chatClient,
  anthropic,
  gemini,
  "openai-responses": responses,
  "bedrock-converse": converseClient,
};
