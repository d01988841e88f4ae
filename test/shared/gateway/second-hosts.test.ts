/** A model at two hosts: which of them a call has, and what the second one is sent (shared/catalog/README.md). */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { LocalAnswers } from "#shared/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory, type Memory, testCatalog } from "#test/support/memory.ts";
import { chatBody, completion } from "#test/support/scenario.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

const names = ["north", "south"] as const;
type Name = (typeof names)[number];

const upstreams = {} as Record<Name, Upstream>;
let memory: Memory;
let serve: Pipeline;
let headers: Record<string, string>;
let lacking: Set<string>;

/** What the second host takes otherwise: a word for the effort, and no tools of its own. */
const traits = {
  source: "south.example/models",
  as_of: "2026-11-20",
  reasoning: { forms: ["effort"], efforts: ["none", "high"], by_default: true },
};

beforeAll(async () => {
  for (const name of names) upstreams[name] = await startUpstream();
});
afterAll(() => Promise.all(names.map((name) => upstreams[name].stop())));
beforeEach(() => {
  const catalog = testCatalog(upstreams.north.url) as {
    providers: object;
    models: { channels: object[]; capabilities: string[] }[];
  };
  const provider = (name: Name, more: object = {}) => ({
    [name]: {
      protocols: { openai: `${upstreams[name].url}/v1` },
      secret: `${name.toUpperCase()}_KEY`,
      ...more,
    },
  });
  const runsNone = { traits: { source: "south.example", as_of: "2026-11-20", hosted_tools: [] } };
  catalog.providers = { ...catalog.providers, ...provider("north"), ...provider("south", runsNone) };
  const [model] = catalog.models;
  model?.capabilities.push("reasoning");
  model?.channels.splice(
    0,
    1,
    { provider: "north", model: "upstream-model", priority: 1 },
    { provider: "south", model: "hosts/upstream-model", priority: 2, traits },
  );
  memory = createMemory(catalog);
  lacking = new Set();
  memory.deps.secrets = {
    ...memory.deps.secrets,
    provider: async (name) => (lacking.has(name) ? undefined : "key"),
    lacks: (name) => lacking.has(name),
  };
  headers = { authorization: `Bearer ${memory.addKey()}` };
  serve = createPipeline({} as LocalAnswers, memory.deps);
  for (const name of names) {
    upstreams[name].reset();
    upstreams[name].json(completion);
  }
});

const chat = (body: object = chatBody) => call(serve, "/v1/chat/completions", { headers, body });
const fails = (name: Name) => upstreams[name].on((_, response) => response.writeHead(500).end("{}"));
const sent = (name: Name) => JSON.parse(upstreams[name].requests.at(-1)?.body.toString() ?? "{}") as object;

test("a host whose key is missing is no choice: nobody looks at the board, and nothing is told of it", async () => {
  expect((await chat()).headers["x-gateway-route"]).toBe("basic; via=north; why=priority; of=2");
  expect(memory.boards.reads).toBe(1);
  lacking.add("SOUTH_KEY");
  memory.deps.now = () => Date.now() + 60_000;
  expect((await chat()).headers["x-gateway-route"]).toBe("basic; via=north; why=only; of=1");
  expect(memory.boards.reads).toBe(1);
});

test("the first host is sent the body as it came, the second one what it takes", async () => {
  const body = { ...chatBody, thinking: { type: "disabled" } };
  await chat(body);
  expect(sent("north")).toEqual({ ...body, model: "upstream-model" });
  fails("north");
  expect((await chat(body)).headers["x-gateway-provider"]).toBe("south");
  expect(sent("south")).toEqual({ ...chatBody, model: "hosts/upstream-model", reasoning_effort: "none" });
});

/** The call fails at the first host. */
async function isNotSentOn(): Promise<void> {
  fails("north");
  const body = { ...chatBody, tools: [{ type: "web_search", web_search: { enable: true } }] };
  const reply = await chat(body);
  expect([reply.status, reply.headers["x-gateway-attempts"]]).toEqual([500, "1"]);
  expect(upstreams.south.requests).toEqual([]);
  expect((await chat()).headers["x-gateway-provider"]).toBe("south");
}

test("a call whose tools its provider runs is not sent to a host that runs none", isNotSentOn);

test("nor where the host's channel alone says that it runs none", async () => {
  const { provider, find } = memory.deps.catalog;
  delete provider("south")?.traits;
  Object.assign(find("test/model-1")?.channels[1]?.traits ?? {}, { hosted_tools: [] });
  await isNotSentOn();
});

test("where no key is there, the call fails as one that no channel takes", async () => {
  lacking.add("NORTH_KEY").add("SOUTH_KEY");
  const reply = await chat();
  expect(reply.status).toBe(500);
  expect(memory.holds).toHaveLength(1);
});
