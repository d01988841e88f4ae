/** The six workloads of GoModel's published comparison: three APIs, each whole and streamed (README.md "The protocol"). */
import { benchModel, filler, requests } from "./provider.ts";

const text = filler(900);
const responses = { model: benchModel, max_output_tokens: 200, input: text };
const messages = { model: benchModel, max_tokens: 200, messages: [{ role: "user", content: text }] };
const streamed = (body: object) => JSON.stringify({ ...body, stream: true });

/** Each asks for the same text. The provider speaks OpenAI's protocols, so Anthropic's messages are translated. */
export const workloads = {
  chat: { name: "chat", path: "/v1/chat/completions", body: requests.whole },
  chatStream: { name: "chat, streamed", path: "/v1/chat/completions", body: requests.stream },
  responses: { name: "responses", path: "/v1/responses", body: JSON.stringify(responses) },
  responsesStream: { name: "responses, streamed", path: "/v1/responses", body: streamed(responses) },
  messages: { name: "messages", path: "/v1/messages", body: JSON.stringify(messages) },
  messagesStream: { name: "messages, streamed", path: "/v1/messages", body: streamed(messages) },
} as const;

export type WorkloadName = keyof typeof workloads;
export const workloadNames = Object.keys(workloads) as WorkloadName[];
