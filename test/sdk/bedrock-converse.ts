/** AWS's SDK with `Converse` and `ConverseStream`. Programs on it put the events of a stream together themselves. */
import {
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  type ConverseStreamOutput,
  type Message,
  type TokenUsage,
} from "@aws-sdk/client-bedrock-runtime";
import { bedrockClient, requestOf } from "./bedrock-invoke.ts";
import {
  type Answer,
  citySchema,
  failureOf,
  type Place,
  parsed,
  png,
  prompt,
  type Question,
  type SdkClient,
  system,
  toolName,
  toolResult,
} from "./client.ts";

interface Said {
  content: ContentBlock[];
  stop: string | undefined;
  usage: TokenUsage | undefined;
}

export function bedrockConverse(place: Place): SdkClient {
  const client = bedrockClient(place);

  const write = async (question: Question, messages: Message[]): Promise<Said> => {
    const input = { system: [{ text: system }], messages, ...parametersOf(question) };
    if (!question.stream) {
      const { output, stopReason: stop, usage } = await client.send(new ConverseCommand(input));
      return { content: output?.message?.content ?? [], stop, usage };
    }
    const { stream = [] } = await client.send(new ConverseStreamCommand(input));
    return joined(await Array.fromAsync(stream));
  };

  return {
    ask: async (question) => answerOf(await write(question, openingOf(question))),
    async converse(question, then) {
      const opening = openingOf(question);
      const { content } = await write({ ...question, tool: true }, opening);
      const results = content.flatMap(({ toolUse }): ContentBlock[] =>
        toolUse ? [{ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: toolResult }] } }] : [],
      );
      const history: Message[] = [
        ...opening,
        { role: "assistant", content },
        { role: "user", content: results },
      ];
      return answerOf(await write({ ...question, tool: true, model: then }, history));
    },
    fail: (model) => failureOf(write({ model }, openingOf({ model })), requestOf),
  };
}

function parametersOf({ model, tool, schema, reasoning }: Question): Omit<ConverseCommandInput, "messages"> {
  const toolSpec = { name: toolName, inputSchema: { json: citySchema } };
  const jsonSchema = { name: "place", schema: JSON.stringify(citySchema) };
  const thinking = { type: "enabled", budget_tokens: 2000 };
  return {
    modelId: model,
    inferenceConfig: { maxTokens: 4000 },
    ...(tool ? { toolConfig: { tools: [{ toolSpec }] } } : {}),
    ...(schema ? { outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } } } : {}),
    ...(reasoning ? { additionalModelRequestFields: { thinking } } : {}),
  };
}

function openingOf({ picture }: Question): Message[] {
  const image = { format: "png" as const, source: { bytes: Buffer.from(png, "base64") } };
  return [{ role: "user", content: [{ text: prompt }, ...(picture ? [{ image }] : [])] }];
}

function answerOf({ content, stop, usage }: Said): Answer {
  const call = content.find(({ toolUse }) => toolUse)?.toolUse;
  if (stop !== (call ? "tool_use" : "end_turn")) throw new Error(`stopReason ${stop}`);
  const { inputTokens = 0, cacheReadInputTokens = 0, outputTokens = 0 } = usage ?? {};
  return {
    text: content.map(({ text = "" }) => text).join(""),
    ...(call ? { tool: { name: String(call.name), arguments: call.input } } : {}),
    usage: { input: inputTokens + cacheReadInputTokens, output: outputTokens },
  };
}

/** A stream's answer. Its reasoning goes back with its signature. */
function joined(events: ConverseStreamOutput[]): Said {
  const end = events.find(({ messageStop }) => messageStop)?.messageStop;
  const last = events.at(-1)?.metadata;
  if (!events[0]?.messageStart || !end || !last) throw new Error("the stream is not whole");
  const deltas = events.flatMap(({ contentBlockDelta: told }) => told ?? []);
  const starts = events.flatMap(({ contentBlockStart: told }) => told ?? []);
  const indices = new Set(deltas.map(({ contentBlockIndex }) => contentBlockIndex));
  const content = [...indices].map((index): ContentBlock => {
    const own = deltas.flatMap((each) => (each.contentBlockIndex === index ? (each.delta ?? []) : []));
    const start = starts.find((each) => each.contentBlockIndex === index)?.start?.toolUse;
    const said = (piece: (delta: (typeof own)[number]) => string | undefined) =>
      own.map((delta) => piece(delta) ?? "").join("");
    if (start) {
      const input = parsed(said(({ toolUse }) => toolUse?.input)) as never;
      return { toolUse: { ...start, input } } as ContentBlock;
    }
    if (!own.some(({ reasoningContent }) => reasoningContent)) return { text: said(({ text }) => text) };
    const text = said(({ reasoningContent }) => reasoningContent?.text);
    const signature = said(({ reasoningContent }) => reasoningContent?.signature);
    return { reasoningContent: { reasoningText: { text, ...(signature && { signature }) } } };
  });
  return { content, stop: end.stopReason, usage: last.usage };
}
