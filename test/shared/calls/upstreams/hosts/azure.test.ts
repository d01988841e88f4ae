/** Azure's form of a request, held against what OpenAI's SDK sends to a deployment for the same call. */
import OpenAI, { AzureOpenAI } from "openai";
import { expect, test } from "vitest";
import { azure } from "#shared/calls/upstreams/hosts/azure.ts";

type Ask = (client: OpenAI) => PromiseLike<unknown>;
const messages = [{ role: "user" as const, content: "Hi" }];
const model = "our deployment";
const calls: [what: string, ask: Ask][] = [
  ["a chat", (client) => client.chat.completions.create({ model, messages })],
  ["a stream", (client) => client.chat.completions.create({ model, messages, stream: true })],
  ["vectors", (client) => client.embeddings.create({ model, input: "Hi", encoding_format: "float" })],
  ["pictures", (client) => client.images.generate({ model, prompt: "Hi" })],
];

test.each(calls)("a deployment is asked for %s as OpenAI's SDK for Azure asks", async (_, ask) => {
  const sent: { path: string; body: string }[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    const { pathname, search } = new URL(String(url));
    sent.push({ path: pathname + search, body: String(init?.body) });
    return Response.json({ data: [], choices: [] });
  };
  const open = { apiKey: "k", fetch, maxRetries: 0 };
  await ask(new OpenAI({ ...open, baseURL: "https://openai.test" }));
  const place = { endpoint: "https://azure.test", apiVersion: "2024-10-21" };
  await ask(new AzureOpenAI({ ...open, ...place }));
  const [plain = { path: "", body: "" }, theirs] = sent;
  const asked = { method: "POST", headers: {}, connectMs: 1, firstByteMs: 1, idleMs: 1, ...plain };
  const ours = azure.request(asked, { protocol: "openai-chat", model, stream: false });
  expect({ path: ours.path, body: ours.body }).toEqual(theirs);
});
