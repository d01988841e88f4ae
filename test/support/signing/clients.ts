/**
 * A client of each protocol that holds a conversation and keeps its history. The vendors' SDKs give answers back as
 * they got them. What an SDK leaves to its caller is done here by hand.
 */
import Anthropic from "@anthropic-ai/sdk";
import { type Chat, type Content, GoogleGenAI, type Part } from "@google/genai";
import OpenAI from "openai";
import type { Json } from "./issuer.ts";
import type { Served } from "./served.ts";

/** What came back: the words, or the calls that want results. */
interface Answered {
  text: string;
  calls: { id: string; name: string }[];
}

interface Conversation {
  /** Says something to a model, in the conversation that there is. */
  ask(model: string, text: string): Promise<Answered>;
  /** Gives the results of the last calls to a model, the same or another. */
  give(model: string, calls: Answered["calls"]): Promise<Answered>;
}

type Start = (served: Served, stream: boolean) => Conversation;

const parameters = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
};
const result = "21 degrees";

const anthropic: Start = ({ url, key }, stream) => {
  const client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [];
  const send = async (model: string, content: Anthropic.MessageParam["content"]): Promise<Answered> => {
    messages.push({ role: "user", content });
    const request = {
      model,
      max_tokens: 4096,
      thinking: { type: "enabled" as const, budget_tokens: 1024 },
      tools: [{ name: "weather", input_schema: parameters }],
      messages,
    };
    const message = stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    messages.push({ role: "assistant", content: message.content });
    const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    return { text, calls: message.content.filter((block) => block.type === "tool_use") };
  };
  return {
    ask: send,
    give: (model, calls) =>
      send(
        model,
        calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: result })),
      ),
  };
};

/** Google's chats keep their own history; another model gets a chat that begins with it. */
const gemini: Start = ({ url, key }, stream) => {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: `${url}/api` } });
  const tools = [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: parameters }] }];
  const config = { tools, thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } };
  let chat: Chat | undefined;
  const send = async (model: string, message: Part[]): Promise<Answered> => {
    const history: Content[] = chat?.getHistory() ?? [];
    chat = client.chats.create({ model, config, history });
    const chunks = stream
      ? await Array.fromAsync(await chat.sendMessageStream({ message }))
      : [await chat.sendMessage({ message })];
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    return {
      text: parts.map(({ text, thought }) => (thought ? "" : (text ?? ""))).join(""),
      calls: parts.flatMap(({ functionCall: call }) =>
        call ? [{ id: `${call.id}`, name: `${call.name}` }] : [],
      ),
    };
  };
  return {
    ask: (model, text) => send(model, [{ text }]),
    give: (model, calls) =>
      send(
        model,
        calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { result } } })),
      ),
  };
};

const responses: Start = ({ url, key }, stream) => {
  const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  let input: OpenAI.Responses.ResponseInput = [];
  const send = async (model: string, items: OpenAI.Responses.ResponseInput): Promise<Answered> => {
    const request = {
      model,
      input: [...input, ...items],
      store: false,
      include: ["reasoning.encrypted_content" as const],
      reasoning: { effort: "low" as const, summary: "auto" as const },
      tools: [{ type: "function" as const, name: "weather", parameters, strict: false }],
    };
    const response = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    input = [...request.input, ...(response.output as OpenAI.Responses.ResponseInput)];
    const calls = response.output.flatMap((item) =>
      "call_id" in item && "name" in item ? [{ id: `${item.call_id}`, name: `${item.name}` }] : [],
    );
    return { text: response.output_text, calls };
  };
  return {
    ask: (model, text) => send(model, [{ role: "user", content: text }]),
    give: (model, calls) =>
      send(
        model,
        calls.map(({ id }) => ({ type: "function_call_output", call_id: id, output: result })),
      ),
  };
};

/** By hand: the SDK's helper of streams leaves fields out that are not OpenAI's own. */
const openaiChat: Start = ({ url, key }, stream) => {
  const messages: Json[] = [];
  const send = async (model: string, said: Json[]): Promise<Answered> => {
    messages.push(...said);
    const tools = [{ type: "function", function: { name: "weather", parameters } }];
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages, tools, reasoning_effort: "low", stream }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    const message = stream
      ? messageOf(text)
      : (JSON.parse(text) as { choices: { message: Json }[] }).choices[0]?.message;
    messages.push(message as Json);
    const calls = (message?.tool_calls ?? []) as { id: string; function: { name: string } }[];
    return {
      text: String(message?.content ?? ""),
      calls: calls.map((call) => ({ id: call.id, name: call.function.name })),
    };
  };
  return {
    ask: (model, text) => send(model, [{ role: "user", content: text }]),
    give: (model, calls) =>
      send(
        model,
        calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: result })),
      ),
  };
};

interface CallDelta extends Json {
  index: number;
  function: { arguments: string };
}

/** The message that a stream tells: texts are joined, lists go on, and a call's arguments are joined by its index. */
function messageOf(stream: string): Json {
  const message: Json & { tool_calls?: CallDelta[] } = { role: "assistant", content: null };
  for (const [, data] of stream.matchAll(/^data: (\{.*\})$/gm)) {
    const [choice] = (JSON.parse(`${data}`) as { choices: { delta: Json }[] }).choices;
    for (const [name, value] of Object.entries(choice?.delta ?? {})) {
      if (name === "tool_calls")
        message.tool_calls = addCalls(message.tool_calls ?? [], value as CallDelta[]);
      else if (Array.isArray(value)) message[name] = [...((message[name] as Json[]) ?? []), ...value];
      else if (name !== "role" && value !== "") message[name] = `${message[name] ?? ""}${value}`;
    }
  }
  const calls = message.tool_calls?.map(({ index: _, ...call }) => call);
  return { ...message, ...(calls ? { tool_calls: calls } : {}) };
}

function addCalls(calls: CallDelta[], deltas: CallDelta[]): CallDelta[] {
  for (const delta of deltas) {
    const begun = calls[delta.index];
    if (begun) begun.function.arguments += delta.function.arguments;
    else calls[delta.index] = structuredClone(delta);
  }
  return calls;
}

export const clients: Record<string, Start> = {
  "openai-chat": openaiChat,
  anthropic,
  gemini,
  responses,
};
