/** OpenAI's SDK, chat completions. */
import type OpenAI from "openai";
import {
  type Answer,
  citySchema,
  failureOf,
  type Place,
  parsed,
  pictureAddress,
  png,
  prompt,
  type Question,
  type SdkClient,
  system,
  toolName,
  toolResult,
} from "./client.ts";

type Message = OpenAI.Chat.ChatCompletionMessageParam;
type Completion = OpenAI.Chat.ChatCompletion;

export function openaiChat(Sdk: typeof OpenAI, { url, key }: Place): SdkClient {
  const client = new Sdk({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });

  const complete = async (question: Question, messages: Message[]): Promise<Completion> => {
    const request = { messages, ...parametersOf(question) };
    if (!question.stream) return await client.chat.completions.create(request);
    const options = { ...request, stream_options: { include_usage: true } };
    return await client.chat.completions.stream(options).finalChatCompletion();
  };

  return {
    ask: async (question) => answerOf(await complete(question, openingOf(question))),
    async converse(question, then) {
      const opening = openingOf(question);
      const asked = await complete({ ...question, tool: true }, opening);
      const message = asked.choices[0]?.message;
      const calls = message?.tool_calls ?? [];
      const results = calls.map(
        ({ id }): Message => ({ role: "tool", tool_call_id: id, content: toolResult }),
      );
      const history = [...opening, message as Message, ...results];
      return answerOf(await complete({ ...question, tool: true, model: then }, history));
    },
    fail: (model) => failureOf(complete({ model }, openingOf({ model })), ({ requestID }) => requestID),
    models: async () => (await Array.fromAsync(client.models.list())).map(({ id }) => id),
    async embed(model) {
      const { data } = await client.embeddings.create({ model, input: prompt });
      return data[0]?.embedding ?? [];
    },
  };
}

function parametersOf({ model, tool, schema, reasoning }: Question) {
  const fn = { name: toolName, parameters: citySchema };
  const json_schema = { name: "city", schema: citySchema, strict: true };
  return {
    model,
    ...(tool ? { tools: [{ type: "function" as const, function: fn }] } : {}),
    ...(schema ? { response_format: { type: "json_schema" as const, json_schema } } : {}),
    ...(reasoning ? { reasoning_effort: "high" as const } : {}),
  };
}

function openingOf({ picture }: Question): Message[] {
  const url = picture === "bytes" ? `data:image/png;base64,${png}` : pictureAddress;
  const content = picture
    ? [
        { type: "text" as const, text: prompt },
        { type: "image_url" as const, image_url: { url } },
      ]
    : prompt;
  return [
    { role: "system", content: system },
    { role: "user", content },
  ];
}

function answerOf({ choices, usage }: Completion): Answer {
  const message = choices[0]?.message;
  const [call] = message?.tool_calls ?? [];
  const expected = call ? "tool_calls" : "stop";
  if (choices[0]?.finish_reason !== expected) throw new Error(`finish_reason ${choices[0]?.finish_reason}`);
  return {
    text: message?.content ?? "",
    ...(call?.type === "function"
      ? { tool: { name: call.function.name, arguments: parsed(call.function.arguments) } }
      : {}),
    usage: { input: usage?.prompt_tokens ?? 0, output: usage?.completion_tokens ?? 0 },
  };
}
