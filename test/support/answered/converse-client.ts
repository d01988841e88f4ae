/** What AWS's SDK makes of an answer in Bedrock's Converse. */
import { Readable } from "node:stream";
import {
  BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamOutput,
  type TokenUsage,
} from "@aws-sdk/client-bedrock-runtime";
import { HttpResponse } from "@smithy/core/protocols";
import { answering, argsOf, json, nextAnswer, parameters } from "./sdks.ts";
import type { AnsweredClient, Seen } from "./seen.ts";

const client = new BedrockRuntimeClient({
  region: "us-east-1",
  token: { token: "k" },
  authSchemePreference: ["httpBearerAuth"],
  maxAttempts: 1,
  requestHandler: {
    async handle() {
      const { bytes, type } = nextAnswer();
      const headers = { "content-type": type };
      return { response: new HttpResponse({ statusCode: 200, headers, body: Readable.from([bytes]) }) };
    },
  },
});

function fromBlocks(content: ContentBlock[], stop: unknown, usage: TokenUsage | undefined): Seen {
  const { inputTokens = 0, cacheReadInputTokens: read = 0, cacheWriteInputTokens: written = 0 } = usage ?? {};
  const { outputTokens: output = 0, totalTokens } = usage ?? {};
  const input = inputTokens + read + written;
  if (usage && totalTokens !== input + output) throw new Error("the total is not the sum");
  return {
    text: content.map(({ text = "" }) => text).join(""),
    thoughts: content.map((block) => block.reasoningContent?.reasoningText?.text ?? "").join(""),
    signatures: content.flatMap(({ reasoningContent: told }) =>
      told ? signatureIn(told.reasoningText?.signature ?? told.redactedContent) : [],
    ),
    calls: content.flatMap(({ toolUse: call }) =>
      call ? { id: String(call.toolUseId), name: String(call.name), args: call.input } : [],
    ),
    order: content.flatMap(({ text, toolUse: call }) =>
      call ? `call ${call.toolUseId}` : text === undefined ? [] : `text ${text}`,
    ),
    stop: String(stop),
    ...(usage && { counts: { input, cached: read, output, reasoned: 0 } }),
  };
}

/** Reasoning that is redacted is bytes here, which go as base64. */
function signatureIn(told: string | Uint8Array | undefined): string[] {
  if (told === undefined) return [];
  return [typeof told === "string" ? told : Buffer.from(told).toString("base64")];
}

/** The blocks of a stream. Programs on this SDK put its events together themselves. */
function blocksOf(events: ConverseStreamOutput[]): ContentBlock[] {
  const blocks = new Map<unknown, { block: ContentBlock; input: string }>();
  const open = (index: unknown, block: () => ContentBlock) => {
    const known = blocks.get(index) ?? { block: block(), input: "" };
    blocks.set(index, known);
    return known;
  };
  for (const { contentBlockStart: start, contentBlockDelta: told } of events) {
    const call = start?.start?.toolUse;
    if (call) open(start.contentBlockIndex, () => ({ toolUse: { ...call, input: {} } }) as ContentBlock);
    const { text, toolUse, reasoningContent: thought } = told?.delta ?? {};
    if (text !== undefined) {
      const { block } = open(told?.contentBlockIndex, () => ({ text: "" }));
      block.text += text;
    }
    if (toolUse) open(told?.contentBlockIndex, () => ({ text: "" })).input += toolUse.input;
    if (!thought) continue;
    const { block } = open(told?.contentBlockIndex, () => ({
      reasoningContent: thought.redactedContent
        ? { redactedContent: thought.redactedContent }
        : { reasoningText: { text: "" } },
    }));
    const { reasoningText } = block.reasoningContent ?? {};
    if (reasoningText && thought.text !== undefined) reasoningText.text += thought.text;
    if (reasoningText && thought.signature !== undefined) reasoningText.signature = thought.signature;
  }
  return [...blocks.values()].map(({ block, input }) =>
    block.toolUse ? ({ toolUse: { ...block.toolUse, input: argsOf(input) } } as ContentBlock) : block,
  );
}

const messages = [{ role: "user" as const, content: [{ text: "Hello" }] }];
const names = ["weather", "y".repeat(64), "Task"];

export const converseClient: AnsweredClient = {
  tools: names.map((name) => ({ name })),
  body: {
    messages,
    toolConfig: { tools: names.map((name) => ({ toolSpec: { name, inputSchema: { json: parameters } } })) },
  },
  whole: answering(async () => {
    const { output, stopReason, usage } = await client.send(new ConverseCommand({ modelId: "m", messages }));
    return fromBlocks(output?.message?.content ?? [], stopReason, usage);
  }, json),
  streamed: answering(async () => {
    const { stream = [] } = await client.send(new ConverseStreamCommand({ modelId: "m", messages }));
    const events: ConverseStreamOutput[] = await Array.fromAsync(stream);
    const end = events.find(({ messageStop }) => messageStop)?.messageStop;
    const last = events.at(-1)?.metadata;
    if (!end || !last) throw new Error("the stream is not whole");
    return fromBlocks(blocksOf(events), end.stopReason, last.usage);
  }, "application/vnd.amazon.eventstream"),
};
