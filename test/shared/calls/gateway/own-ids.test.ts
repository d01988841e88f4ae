/**
 * Ids of what a provider keeps: each goes up only for the organization and the project that it was given to
 * (shared/calls/protocols/provider-ids.md).
 */
import { beforeEach, describe, expect, test } from "vitest";
import type { ReadyChannel } from "#shared/books/catalog/catalog.ts";
import { call } from "#test/support/call.ts";
import { answer } from "#test/support/id-answers.ts";
import {
  asked,
  chat,
  contents,
  generate,
  kinds,
  messages,
  model,
  responses,
  said,
} from "#test/support/id-kinds.ts";
import { pepper } from "#test/support/memory.ts";
import { givenTo } from "#test/support/own-ids.ts";
import { useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();

/** The tools that a provider runs have prices, or a request of them would be refused for that. */
const tools = ["file_search", "code_interpreter", "shell", "image_generation", "retrieval", "code_execution"];
const rates = { audio_output: "20", tools: Object.fromEntries(tools.map((name) => [name, "0.01"])) };
beforeEach(() => {
  Object.assign(scenario.memory.deps.catalog.find(model)?.price ?? {}, { rates });
});

/** What the provider was sent last, as text. */
const sent = () => scenario.upstream.requests.at(-1)?.body.toString() ?? "";
const send = (path: string, body: object, headers = scenario.bearer()) =>
  call(scenario.serve, path, { headers, body });

describe.each(kinds)("%s", (_, path, field, bodyOf) => {
  /** The body with the whole of an id's text replaced: what stands around an id belongs to it. */
  const given = (change: (id: string) => string) =>
    JSON.parse(
      JSON.stringify(bodyOf("known_1")).replace(/"([^"]*known_1)"/, (_, id: string) =>
        JSON.stringify(change(id)),
      ),
    ) as object;
  const own = (id: string) => scenario.memory.give(id);
  const owner = () => scenario.memory.owner();

  test("goes up bare for the project that it was given to, and nothing else is changed", async () => {
    scenario.upstream.on((_, response) => response.writeHead(400).end("{}"));
    await send(path, given(own));
    const upstream = JSON.parse(sent()) as object;
    expect(upstream).toEqual({
      ...bodyOf("known_1"),
      ...("model" in upstream && { model: expect.any(String) }),
    });
  });

  test.each<[string, () => (id: string) => string]>([
    ["of another organization", () => (id) => givenTo({ ...owner(), organization: "org_other" }, id, pepper)],
    ["of another project", () => (id) => givenTo({ ...owner(), project: "other" }, id, pepper)],
    [
      "with a mark that was forged",
      () => (id) => own(id).replace(/.$/, (last) => (last === "A" ? "B" : "A")),
    ],
    ["under another's id", () => (id) => own(`${id}x`).replace(`${id}x`, id)],
    ["without a mark", () => (id) => id],
    ["under a pepper that was dropped", () => (id) => givenTo(owner(), id, "an old pepper")],
  ])("%s is refused by name, and nothing is sent or held", async (_, make) => {
    const reply = await send(path, given(make()));
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(`\`${field}\``);
    expect(scenario.upstream.requests).toEqual([]);
    expect([scenario.memory.holds, scenario.memory.events]).toEqual([[], []]);
  });
});

test("an address that everybody can read is no id", async () => {
  scenario.upstream.on((_, response) => response.writeHead(400).end("{}"));
  for (const fileUri of [
    "https://www.youtube.com/watch?v=1",
    "https://a.example/files/b.pdf",
    "http://a.example/b",
  ]) {
    const body = contents({ fileData: { fileUri } });
    await send(generate, body);
    expect(JSON.parse(sent())).toEqual(body);
  }
});

test("words of the client and of the model are no ids", async () => {
  scenario.upstream.on((_, response) => response.writeHead(400).end("{}"));
  const parameters = {
    type: "object",
    properties: { file_id: { type: "string", default: "f" } },
    default: { file_id: "f" },
  };
  const body = {
    ...asked({ type: "text", text: "Hi" }),
    messages: [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "f", input: { file_id: "f", container: "c" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "file_1" }] },
    ],
    tools: [{ name: "f", input_schema: parameters }],
    container: { skills: [{ type: "anthropic", skill_id: "xlsx" }] },
  };
  await send(messages, body);
  expect(JSON.parse(sent())).toEqual({ ...body, model: "upstream-model" });
});

test("goes to the channel whose account gave the id, whatever its priority", async () => {
  const { deps } = scenario.memory;
  const found = deps.catalog.find(model);
  const [first] = found?.channels ?? [];
  // A second account of the same provider, which the first one's calls fail over to.
  found?.channels.push({
    ...first,
    id: "second",
    secret: "SECOND",
    model: "second",
    priority: 2,
  } as ReadyChannel);
  deps.secrets = { ...deps.secrets, provider: async () => "key", lacks: () => false };
  scenario.upstream.json(answer);
  const asked = async (previous_response_id: string) => {
    await send(responses, { model, input: "Hi", previous_response_id });
    return JSON.parse(sent()) as object;
  };
  const second = { provider: "test", secret: "SECOND" };
  expect(await asked(givenTo(scenario.memory.owner(), "resp_2", pepper, second))).toMatchObject({
    model: "second",
  });
  expect(await asked(scenario.memory.give("resp_1"))).toMatchObject({ model: "upstream-model" });
  // The other account would not know it, so nobody else is asked.
  scenario.upstream.reset();
  scenario.upstream.on((_, response) => response.writeHead(500).end("{}"));
  await send(responses, { model, input: "Hi", previous_response_id: scenario.memory.give("resp_1") });
  expect(scenario.upstream.requests).toHaveLength(1);
});

test("an address of Google's files does not cross to Gemini", async () => {
  const { protocols } = scenario.memory.deps.catalog.provider("test") ?? expect.fail();
  Object.assign(protocols, { openai: undefined, responses: undefined, anthropic: undefined });
  scenario.upstream.json({ candidates: [] });
  const url = "https://generativelanguage.googleapis.com/v1beta/files/known_1";
  const reply = await send(chat, said({ type: "image_url", image_url: { url } }));
  expect([reply.status, scenario.upstream.requests]).toEqual([400, []]);
});
