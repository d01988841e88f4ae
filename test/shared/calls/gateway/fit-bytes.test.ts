/** The bytes that a provider is sent: the client's own, but for what was asked to be made to fit. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { pathOf, type Speech } from "#test/support/crossed.ts";
import { adapt } from "#test/support/fit.ts";
import { createMemory } from "#test/support/memory.ts";
import { catalogAt } from "#test/support/traits.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
let serve: Pipeline;
let headers: Record<string, string>;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());
beforeEach(() => {
  upstream.reset();
  const memory = createMemory(catalogAt(upstream.url));
  headers = { authorization: `Bearer ${memory.addKey()}`, "content-type": "application/json" };
  serve = createPipeline({} as LocalAnswers, memory.deps);
});

/** The bytes that reached the provider, whatever it answered. */
async function bytesOf(client: Speech, model: string, body: string, more: Record<string, string>) {
  await call(serve, pathOf(client, model, false), { headers: { ...headers, ...more }, body });
  return upstream.requests.at(-1)?.body.toString();
}

const turns =
  '[{"role":"user","content":"?"}, {"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"n": 12345678901234567890}}]},\n' +
  '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]';
const messages = (rest: string, model = "anthropic/claude-sonnet-4-6") =>
  `{ "max_tokens" :9.0e3,"messages":${turns} ,"model":"${model}"${rest} }`;

test.each<[what: string, client: Speech, model: string, asked: string, sent: string]>([
  [
    "all that fits",
    "anthropic",
    "",
    messages(', "temperature":0.10'),
    messages(', "temperature":0.10', "claude-sonnet-4-6"),
  ],
  [
    "what stands beside a parameter that goes",
    "anthropic",
    "",
    messages(', "top_p":0.90 , "temperature":1.0e-1, "metadata":{"user_id" : "u"}'),
    messages(', "temperature":1.0e-1, "metadata":{"user_id" : "u"}', "claude-sonnet-4-6"),
  ],
  [
    "what stands inside an object that changes",
    "gemini",
    "google/gemini-2.5-flash",
    '{"contents":[{"parts":[{"text":"é\\u00e9"}]}],"generation_config":{ "seed":9007199254740993, "thinkingConfig":{"includeThoughts" :true,"thinkingLevel":"LOW"}}}',
    '{"contents":[{"parts":[{"text":"é\\u00e9"}]}],"generation_config":{ "seed":9007199254740993, "thinkingConfig":{"includeThoughts" :true,"thinkingBudget":1024}}}',
  ],
  [
    "a schema around a keyword that goes",
    "anthropic",
    "",
    messages(
      ', "output_config":{"format":{"type":"json_schema","schema":{"const":9007199254740993, "minLength":2}}}',
    ),
    messages(
      ', "output_config":{"format":{"type":"json_schema","schema":{"const":9007199254740993}}}',
      "claude-sonnet-4-6",
    ),
  ],
])("%s keeps its bytes", async (_, client, model, asked, sent) => {
  expect(await bytesOf(client, model, asked, adapt)).toBe(sent);
});

test("without the header every byte but the model's name stays", async () => {
  const asked = messages(', "top_p":0.90 , "temperature":1.0e-1');
  const sent = messages(', "top_p":0.90 , "temperature":1.0e-1', "claude-sonnet-4-6");
  expect(await bytesOf("anthropic", "", asked, {})).toBe(sent);
});
