/** What OpenAI's SDK makes of an answer in OpenAI chat, in the form of today and in that from before there were tools. */
import type OpenAI from "openai";
import type { Json } from "./said.ts";
import { answering, argsOf, hello, json, openai, parameters, sse } from "./sdks.ts";
import type { AnsweredClient, Seen } from "./seen.ts";

type ChatMessage = OpenAI.ChatCompletionMessage & {
  reasoning_content?: string;
  reasoning_details?: { signature?: string; data?: string }[];
};

function fromChat({ choices, usage }: OpenAI.ChatCompletion, details = detailsIn(choices[0]?.message)): Seen {
  const [choice] = choices;
  if (!choice || choices.length !== 1) throw new Error("not one choice");
  const message = choice.message as ChatMessage;
  const calls = (message.tool_calls ?? []).map((call) => {
    const { google: by } = (call as { extra_content?: { google?: Json } }).extra_content ?? {};
    const signature = by?.thought_signature;
    const named =
      call.type === "custom"
        ? { name: call.custom.name, args: call.custom.input }
        : { name: call.function.name, args: argsOf(call.function.arguments) };
    return { id: call.id, ...named, ...(typeof signature === "string" && { signature }) };
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

async function streamChat(from = fromChat): Promise<Seen> {
  const tools = chatClient.body.tools as OpenAI.ChatCompletionTool[];
  const stream = openai.chat.completions.stream({ model: "m", messages: hello, tools });
  const details: string[] = [];
  let thoughts = "";
  let signed: Partial<OldCall> = {};
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta as Partial<ChatMessage> | undefined;
    details.push(...detailsIn(delta));
    thoughts += delta?.reasoning_content ?? "";
    signed = { ...(delta?.function_call as Partial<OldCall>), ...signed };
  }
  const whole = await stream.finalChatCompletion();
  const { function_call: old } = whole.choices[0]?.message ?? {};
  // The SDK leaves out of a call what it does not know.
  if (old) Object.assign(old, { extra_content: signed.extra_content });
  return { ...from(whole, details), thoughts };
}

const chatNames = ["weather", "x".repeat(64)];
const noted = { type: "custom", custom: { name: "get-place" } };

export const chatClient: AnsweredClient = {
  tools: [...chatNames.map((name) => ({ name })), { name: "get-place", takes_text: true }],
  body: {
    model: "m",
    messages: hello,
    tools: [...chatNames.map((name) => ({ type: "function", function: { name, parameters } })), noted],
  },
  whole: answering(
    async () => fromChat(await openai.chat.completions.create({ model: "m", messages: hello })),
    json,
  ),
  streamed: answering(() => streamChat(), sse),
};

/** An answer with its call in the form from before there were tools, as if it were in that of today. */
function fromOld(completion: OpenAI.ChatCompletion, details?: string[]): Seen {
  const [choice] = completion.choices;
  const message = choice?.message as ChatMessage | undefined;
  if (message?.tool_calls || choice?.finish_reason === "tool_calls") throw new Error("a call of today");
  const { calls: _, stop, ...seen } = fromChat(completion, details);
  const { name, arguments: text, extra_content } = (message?.function_call ?? {}) as Partial<OldCall>;
  const signature = extra_content?.google?.thought_signature;
  const call = { id: "old", name: name ?? "", args: argsOf(text ?? "") };
  return {
    ...seen,
    stop: stop === "function_call" ? "tool_calls" : stop,
    calls: name === undefined ? [] : [{ ...call, ...(signature !== undefined && { signature }) }],
  };
}

interface OldCall {
  name: string;
  arguments: string;
  extra_content?: { google?: { thought_signature?: string } };
}

/** A client of OpenAI chat that asks in the form from before there were tools. */
export const oldChatClient: AnsweredClient = {
  tools: [...chatNames, "get-place"].map((name) => ({ name })),
  body: {
    model: "m",
    messages: hello,
    functions: [...chatNames, "get-place"].map((name) => ({ name, parameters })),
  },
  whole: answering(
    async () => fromOld(await openai.chat.completions.create({ model: "m", messages: hello })),
    json,
  ),
  streamed: answering(() => streamChat(fromOld), sse),
};
