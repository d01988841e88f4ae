/**
 * Perplexity's Agent API: what it answers to clients of every protocol, what it counts, and what it is not asked for.
 */
import type { ServerResponse } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import * as agent from "#test/shared/calls/gateway/agent-answers.ts";
import { call } from "#test/support/call.ts";
import { framesIn, least, pathOf, type Speech, speeches } from "#test/support/crossed.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { useScenario } from "#test/support/scenario.ts";
import type { Json } from "#test/support/vendor-answers.ts";

const model = "perplexity/sonar";
const searching = { tools: [{ type: "web_search" }] };
const scenario = useScenario();

beforeEach(() => {
  const { url } = scenario.upstream;
  const catalog = testCatalog(url) as { providers: Json; models: unknown[] };
  const { perplexity, openrouter } = catalogFile.providers;
  const providers = {
    ...catalog.providers,
    perplexity: { ...perplexity, protocols: { responses: url } },
    openrouter: { ...openrouter, protocols: { openai: url } },
  };
  const sold = catalogFile.models.filter(({ id }) => [model, "openrouter/nova-lite-v1"].includes(id));
  const models = [...catalog.models, ...sold];
  scenario.memory = createMemory({ ...catalog, providers, models });
  scenario.key = scenario.memory.addKey();
  scenario.serve = createPipeline({} as LocalAnswers, scenario.memory.deps);
});

const ask = (client: Speech, body: Json = {}, stream = false, of = model) =>
  call(scenario.serve, pathOf(client, of, stream), {
    headers: { ...scenario.bearer(), "content-type": "application/json" },
    body: { ...(client !== "gemini" && { model: of, ...(stream && { stream }) }), ...least[client], ...body },
  });
const sent = () => JSON.parse(scenario.upstream.requests.at(-1)?.body.toString() ?? "null") as Json;
const event = () => scenario.memory.events.at(-1);

/** The provider answers so, in a stream where it is asked for one. */
const answers = (last: Json) =>
  scenario.upstream.on((_, response: ServerResponse) => {
    const isStream = sent().stream === true;
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.end(isStream ? agent.framesOf(last).join("") : JSON.stringify(last));
  });

describe("what it counts is charged to the last digit", () => {
  test.each(agent.costs)("$searches searches, passed through", async ({ searches, points }) => {
    const last = agent.answered(searches);
    for (const stream of [false, true]) {
      answers(last);
      const answer = await ask("responses", searches > 0 ? searching : {}, stream);
      expect(answer.text).toContain(stream ? "response.output_text.delta" : "output_text");
      expect(event()).toMatchObject({ cost_points: points, evidence: "reported", flags: [], calls: 1 });
      expect(event()?.usage).toMatchObject({
        ...{ input_tokens: 3, cache_read_tokens: 3004, cache_write_tokens: 0, output_tokens: 37 },
        ...(searches > 0 && { details: { calls: { web_search: searches } } }),
      });
    }
  });

  test.each(speeches.filter((speech) => speech !== "responses"))("crossed from %s", async (client) => {
    for (const stream of [false, true]) {
      answers(agent.answered(0));
      const answer = await ask(client, {}, stream);
      expect([answer.status, event()?.cost_points]).toEqual([200, agent.costs[0].points]);
      const text = stream
        ? framesIn(answer.text)
            .map((each) => JSON.stringify(each))
            .join("")
        : answer.text;
      for (const word of stream ? agent.words : [agent.words.join("")]) expect(text).toContain(word);
    }
  });

  test("each search that may come is held for", async () => {
    answers(agent.answered(1));
    for (const max_tool_calls of [4, 8]) await ask("responses", { max_tool_calls, ...searching });
    const [four = 0n, eight = 0n] = scenario.memory.holds.map(({ points }) => points);
    expect(eight - four).toBe(parsePoints("0.01"));
  });
});

test("tools over two turns, for a client of another protocol", async () => {
  const tools = [{ name: "get_weather", input_schema: { type: "object", properties: {} } }];
  for (const stream of [false, true]) {
    answers(agent.response([agent.calls], agent.report(0)));
    const first = await ask("anthropic", { tools }, stream);
    expect(first.text).toContain("get_weather");
    expect(first.text).not.toContain("search_web");
  }
  const use = { type: "tool_use", id: agent.calls.call_id, name: "get_weather", input: { city: "Paris" } };
  answers(agent.answered(0));
  const second = await ask("anthropic", {
    tools,
    messages: [
      { role: "user", content: "Hello" },
      { role: "assistant", content: [use] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: "Sunny" }] },
    ],
  });
  expect(second.status).toBe(200);
  expect(sent().input).toEqual([
    { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
    { type: "function_call", call_id: use.id, name: "get_weather", arguments: '{"city":"Paris"}' },
    { type: "function_call_output", call_id: use.id, output: "Sunny" },
  ]);
});

test("what its document has no place for is left out, and named", async () => {
  answers(agent.answered(0));
  const schema = { type: "object", properties: {} };
  const answer = await ask("openai", {
    ...{ parallel_tool_calls: false, reasoning_effort: "high" },
    response_format: { type: "json_schema", json_schema: { name: "n", schema } },
  });
  const left = (answer.headers["x-gateway-dropped"] ?? "").split(", ").sort();
  expect(left).toEqual(["format", "parallel_tool_calls", "reasoning.effort", "reasoning.include"]);
  for (const name of ["text", "parallel_tool_calls", "reasoning", "include"])
    expect(sent()).not.toHaveProperty(name);
  expect(sent()).toMatchObject({ model, store: false });
});

describe("what would be answered at another's price is refused, and nothing is held", () => {
  test.each([
    ["models", ["anthropic/claude-opus-4-8"], "x-gateway-fallback"],
    ["preset", "xhigh", "`preset` is not supported"],
    ["profile", { type: "custom", id: "p" }, "`profile` is not supported"],
    ["skills", [{ name: "s" }], "`skills` is not supported"],
    ["plugins", [{ id: "web" }], "`plugins` is not supported"],
    ["provider", { sort: "throughput" }, "x-gateway-route"],
    ["tools", [{ type: "sandbox" }], "no price for `tools[0].type` (sandbox)"],
  ])("%s", async (name, value, told) => {
    const answer = await ask("responses", { [name]: value });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(told)]);
    expect([scenario.memory.holds, scenario.upstream.requests]).toEqual([[], []]);
  });

  test.each([
    ["models", ["anthropic/claude-opus-4-8"], "x-gateway-fallback"],
    ["plugins", [{ id: "web", max_results: 10 }], "`plugins` is not supported"],
    ["preset", "dear", "`preset` is not supported"],
    ["provider", { only: ["dear-host"] }, "x-gateway-route"],
    ["models", false, "x-gateway-fallback"],
    ["enable_search", true, "ask for a search by a tool"],
    ["enable_enhancement", true, "ask for a search by a tool"],
    ["search_parameters", { mode: "auto" }, "ask for a search by a tool"],
    ["tools", [{ type: "openrouter:web_search" }], "no price for `tools[0].type` (openrouter:web_search)"],
  ])("%s in a chat, which a vendor of many models takes", async (name, value, told) => {
    const answer = await ask("openai", { [name]: value }, false, "openrouter/nova-lite-v1");
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(told)]);
    expect(answer.json()).toMatchObject({ error: { param: expect.stringContaining(name) } });
    expect([scenario.memory.holds, scenario.upstream.requests]).toEqual([[], []]);
  });

  test("a search that is switched off is none", async () => {
    await ask("openai", { enable_search: false }, false, "openrouter/nova-lite-v1");
    expect(scenario.upstream.requests).not.toEqual([]);
  });
});

describe("errors", () => {
  const fails = (status: number, body: unknown) =>
    scenario.upstream.on((_, response: ServerResponse) => {
      response.writeHead(status, { "content-type": "application/json", "retry-after": "7" });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });

  test("a request that it refuses is told in the client's form", async () => {
    fails(400, {
      error: { message: "validation failed: input is empty", type: "invalid_request", code: "400" },
    });
    const answer = await ask("anthropic");
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("input is empty")]);
    expect([event()?.cost_points, event()?.calls]).toEqual(["0", 0]);
  });

  test("a limit says when to come again", async () => {
    fails(429, { error: { message: "Request rate limit exceeded", type: "rate_limit_error", code: 429 } });
    expect((await ask("responses")).headers["retry-after"]).toBe("7");
  });

  test("our key", async () => {
    fails(401, "<html><head><title>401 Authorization Required</title></head></html>");
    expect((await ask("responses")).status).toBe(500);
    const refused = scenario.memory.logs.filter(({ event: name }) => name === "provider_account_refused");
    expect(refused.map(({ fields }) => fields.reason)).toEqual(["key"]);
  });

  test("a response that failed is given back, whole and in a stream that had only begun", async () => {
    const error = { message: "upstream gave up", code: "server_error", type: "server_error" };
    const failed = { ...agent.response([], null, "failed"), error };
    const begun = ["created", "in_progress", "reasoning.started"].map((name) => ({
      ...{ type: `response.${name}`, response: agent.response([], null, "in_progress") },
    }));
    const frames = [...begun, { type: "response.failed", error }].map(
      (each) => `data: ${JSON.stringify(each)}\n\n`,
    );
    for (const stream of [false, true]) {
      scenario.upstream.on((_, response: ServerResponse) => {
        response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
        response.end(stream ? frames.join("") : JSON.stringify(failed));
      });
      await ask("responses", {}, stream);
      expect([event()?.cost_points ?? "0", event()?.calls ?? 0]).toEqual(["0", 0]);
    }
  });
});
