/** Vercel's `ai`, with a model of one of its providers. */
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  streamText,
  type ToolSet,
} from "ai";
import {
  type Answer,
  citySchema,
  failureOf,
  pictureAddress,
  png,
  prompt,
  type Question,
  type SdkClient,
  system,
  toolName,
  toolResult,
} from "./client.ts";

// What a provider of an earlier interface is missing is known, and said for every call.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

const city = jsonSchema<{ city: string }>(citySchema);
const tools: ToolSet = { [toolName]: { inputSchema: city } };

type Result = Awaited<ReturnType<typeof generateText>>;
type Finished = Pick<Result, "text" | "toolCalls" | "usage" | "responseMessages">;

/**
 * `model` makes the provider's model of a name. `reasoning` asks it to reason, in its provider's own options; `always`
 * are options of every call.
 */
export function aiSdk(
  model: (name: string) => LanguageModel,
  reasoning: Record<string, object>,
  always: Record<string, object> = {},
): SdkClient {
  const generate = async (question: Question, messages: ModelMessage[]): Promise<Finished> => {
    const request = {
      model: model(question.model),
      system,
      messages,
      maxRetries: 0,
      ...(question.tool ? { tools } : {}),
      ...(question.schema ? { output: Output.object({ schema: city }) } : {}),
      providerOptions: optionsOf(always, question.reasoning ? reasoning : {}) as never,
    };
    if (!question.stream) return await generateText(request);
    let failure: unknown;
    const onError = ({ error }: { error: unknown }) => {
      failure = error;
    };
    const stream = streamText({ ...request, onError });
    await stream.consumeStream();
    if (failure) throw failure;
    const [text, toolCalls, usage, responseMessages] = await Promise.all([
      stream.text,
      stream.toolCalls,
      stream.usage,
      stream.responseMessages,
    ]);
    return { text, toolCalls, usage, responseMessages };
  };

  return {
    ask: async (question) => answerOf(await generate(question, openingOf(question))),
    async converse(question, then) {
      const opening = openingOf(question);
      const { responseMessages, toolCalls } = await generate({ ...question, tool: true }, opening);
      const content = toolCalls.map(({ toolCallId, toolName: name }) => ({
        type: "tool-result" as const,
        toolCallId,
        toolName: name,
        output: { type: "text" as const, value: toolResult },
      }));
      const history: ModelMessage[] = [...opening, ...responseMessages, { role: "tool", content }];
      return answerOf(await generate({ ...question, tool: true, model: then }, history));
    },
    fail: (name) =>
      failureOf(
        generate({ model: name }, openingOf({ model: name })),
        (error) => (error as { responseHeaders?: Record<string, string> }).responseHeaders?.["x-request-id"],
      ),
  };
}

function optionsOf(always: Record<string, object>, wish: Record<string, object>): Record<string, object> {
  const names = [...new Set([...Object.keys(always), ...Object.keys(wish)])];
  return Object.fromEntries(names.map((name) => [name, { ...always[name], ...wish[name] }]));
}

function openingOf({ picture }: Question): ModelMessage[] {
  const text = { type: "text" as const, text: prompt };
  const image = {
    type: "image" as const,
    image: picture === "bytes" ? Buffer.from(png, "base64") : new URL(pictureAddress),
    mediaType: "image/png",
  };
  return [{ role: "user", content: picture ? [text, image] : [text] }];
}

function answerOf({ text, toolCalls, usage }: Finished): Answer {
  const [call] = toolCalls;
  return {
    text,
    ...(call ? { tool: { name: call.toolName, arguments: call.input } } : {}),
    usage: { input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0 },
  };
}
