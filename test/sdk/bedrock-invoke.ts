/** AWS's SDK with `InvokeModel` and Anthropic's body, whose streams it gives as bytes. */
import type Anthropic from "@anthropic-ai/sdk";
import {
  BedrockRuntimeClient,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { asking, openingOf, parametersOf, type Turn } from "./anthropic.ts";
import { failureOf, type Place, type Question, type SdkClient, system } from "./client.ts";

/** AWS's SDK at the gateway, with a key as AWS's own API keys are sent. */
export function bedrockClient({ url, key }: Place, maxAttempts = 1): BedrockRuntimeClient {
  const token = { token: key };
  return new BedrockRuntimeClient({
    region: "us-east-1",
    endpoint: url,
    token,
    authSchemePreference: ["httpBearerAuth"],
    // By itself it speaks HTTP/2 alone, which the local gateway does not.
    requestHandler: new NodeHttpHandler(),
    maxAttempts,
  });
}

type Event = Anthropic.RawMessageStreamEvent;

export function bedrockInvoke(place: Place): SdkClient {
  const client = bedrockClient(place);

  const write = async (question: Question, messages: Turn[]): Promise<Anthropic.Message> => {
    const { model: modelId, ...parameters } = parametersOf(question);
    const given = {
      anthropic_version: "bedrock-2023-05-31",
      max_tokens: 4000,
      system,
      messages,
      ...parameters,
    };
    const asked = { modelId, contentType: "application/json", body: JSON.stringify(given) };
    if (!question.stream) {
      const { body } = await client.send(new InvokeModelCommand(asked));
      return JSON.parse(body.transformToString()) as Anthropic.Message;
    }
    const { body = expectBody() } = await client.send(new InvokeModelWithResponseStreamCommand(asked));
    const events: Event[] = [];
    for await (const { chunk } of body) events.push(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()));
    return joined(events);
  };

  return {
    ...asking(write),
    fail: (model) => failureOf(write({ model }, openingOf({ model })), requestOf),
  };
}

function expectBody(): never {
  throw new Error("the stream has no body");
}

/** Where AWS's SDKs have what they know of an answer. */
export function requestOf(error: { $metadata?: { requestId?: string } }): string | undefined {
  return error.$metadata?.requestId;
}

/** A stream's message. Programs on this SDK put its events together themselves. */
function joined(events: Event[]): Anthropic.Message {
  const start = events.find((event) => event.type === "message_start");
  const end = events.find((event) => event.type === "message_delta");
  if (!start || !end || events.at(-1)?.type !== "message_stop") throw new Error("the stream is not whole");
  const blocks = events.flatMap((event) => (event.type === "content_block_start" ? [event] : []));
  const deltas = events.flatMap((event) => (event.type === "content_block_delta" ? [event] : []));
  const content = blocks.map(({ index, content_block: block }) => {
    const own = deltas.flatMap((event) => (event.index === index ? [event.delta] : []));
    const text = own.map((delta) => (delta.type === "text_delta" ? delta.text : "")).join("");
    const json = own.map((delta) => (delta.type === "input_json_delta" ? delta.partial_json : "")).join("");
    if (block.type === "text") return { ...block, text };
    return block.type === "tool_use" ? { ...block, input: JSON.parse(json) as unknown } : block;
  });
  const last = Object.entries(end.usage).filter(([, count]) => count !== null);
  const usage = { ...start.message.usage, ...Object.fromEntries(last) };
  return { ...start.message, ...end.delta, content, usage };
}
