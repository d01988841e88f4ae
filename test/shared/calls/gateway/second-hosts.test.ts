/** A model at two hosts: which of them a call has, and what the second one is sent (shared/books/catalog/README.md). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
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

describe("reasoning that one host cannot read", () => {
  const foreign = JSON.stringify({
    error: {
      code: "invalid_encrypted_content",
      message:
        "The encrypted content gAAA... could not be verified. Reason: it belongs to another organization.",
    },
  });
  const refuses = (name: Name) => upstreams[name].on((_, response) => response.writeHead(400).end(foreign));
  const told = async () => {
    const { status, headers } = await chat();
    return [status, headers["x-gateway-provider"], headers["x-gateway-attempts"]];
  };
  const open = async () => {
    fails("north");
    for (let call = 0; call < 3; call++) await chat();
    for (const name of names) upstreams[name].json(completion);
    expect(await told()).toEqual([200, "south", "1"]);
  };

  test("is the client's where it was sent to its own host: nobody else is asked", async () => {
    refuses("north");
    expect(await told()).toEqual([400, "north", "1"]);
  });

  test("is nobody's fault where its own host has failed: the client may try again", async () => {
    fails("north");
    refuses("south");
    expect(await told()).toEqual([500, "south", "2"]);
  });

  test("is read by its own host, although that one was left", async () => {
    await open();
    refuses("south");
    expect(await told()).toEqual([200, "north", "2"]);
  });

  test("is the client's where all hosts refuse it", async () => {
    await open();
    refuses("north");
    refuses("south");
    const reply = await chat();
    expect([reply.status, reply.headers["x-gateway-attempts"]]).toEqual([400, "2"]);
    expect(reply.text).toContain("invalid_encrypted_content");
  });

  test("leaves the channels as they were", async () => {
    await open();
    refuses("south");
    for (let call = 0; call < 5; call++) await chat();
    upstreams.south.json(completion);
    const { windows } = await memory.boards.read("test/model-1", Date.now());
    const faults = windows.flatMap(({ channels }) =>
      Object.values(channels).map((counts) => counts.faults ?? 0),
    );
    expect(faults.reduce((sum, count) => sum + count, 0)).toBe(3);
  });
});
