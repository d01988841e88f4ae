/** Anthropic's SDK. */
import type Anthropic from "@anthropic-ai/sdk";
import {
  type Answer,
  citySchema,
  failureOf,
  type Place,
  pictureAddress,
  png,
  prompt,
  type Question,
  type SdkClient,
  system,
  toolName,
  toolResult,
} from "./client.ts";

export type Turn = Anthropic.MessageParam;
type Message = Anthropic.Message;

export function anthropic(Sdk: typeof Anthropic, { url, key }: Place): SdkClient {
  const client = new Sdk({ apiKey: key, baseURL: url, maxRetries: 0 });

  const write = async (question: Question, messages: Turn[]): Promise<Message> => {
    const request = { max_tokens: 4000, system, messages, ...parametersOf(question) };
    return question.stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
  };

  return {
    ...asking(write),
    fail: (model) => failureOf(write({ model }, openingOf({ model })), ({ requestID }) => requestID),
    models: async () => (await Array.fromAsync(client.models.list())).map(({ id }) => id),
  };
}

/** How a client asks and converses that can `write` messages. */
export function asking(
  write: (question: Question, messages: Turn[]) => Promise<Message>,
): Pick<SdkClient, "ask" | "converse"> {
  return {
    ask: async (question) => answerOf(await write(question, openingOf(question))),
    async converse(question, then) {
      const opening = openingOf(question);
      const { content } = await write({ ...question, tool: true }, opening);
      const history: Turn[] = [
        ...opening,
        { role: "assistant", content },
        { role: "user", content: resultsOf(content) },
      ];
      return answerOf(await write({ ...question, tool: true, model: then }, history));
    },
  };
}

export function parametersOf({ model, tool, schema, reasoning }: Question) {
  const format = { type: "json_schema" as const, schema: citySchema };
  return {
    model,
    ...(tool ? { tools: [{ name: toolName, input_schema: citySchema }] } : {}),
    ...(schema ? { output_config: { format } } : {}),
    ...(reasoning ? { thinking: { type: "enabled" as const, budget_tokens: 2000 } } : {}),
  };
}

export function openingOf({ picture }: Question): Turn[] {
  const bytes = { type: "base64" as const, media_type: "image/png" as const, data: png };
  const source = picture === "bytes" ? bytes : { type: "url" as const, url: pictureAddress };
  const text = { type: "text" as const, text: prompt };
  return [{ role: "user", content: picture ? [text, { type: "image", source }] : prompt }];
}

/** The results of all calls of a turn. */
function resultsOf(content: Message["content"]): Anthropic.ToolResultBlockParam[] {
  return content.flatMap((block) =>
    block.type === "tool_use" ? [{ type: "tool_result", tool_use_id: block.id, content: toolResult }] : [],
  );
}

function answerOf({ content, stop_reason, usage }: Message): Answer {
  const call = content.find((block) => block.type === "tool_use");
  if (stop_reason !== (call ? "tool_use" : "end_turn")) throw new Error(`stop_reason ${stop_reason}`);
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    ...(call ? { tool: { name: call.name, arguments: call.input } } : {}),
    usage: {
      input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
      output: usage.output_tokens,
    },
  };
}
