/**
 * The marks of ids in answers, and the way of such an id back to its provider (shared/calls/protocols/provider-ids.md).
 */
import OpenAI from "openai";
import { beforeEach, describe, expect, test } from "vitest";
import { peppersOf, readPeppers } from "#shared/base/platform/pepper.ts";
import { marked, unmarked } from "#shared/calls/exchange/own-ids.ts";
import { call } from "#test/support/call.ts";
import { answer, stream } from "#test/support/id-answers.ts";
import { messages, model, responses } from "#test/support/id-kinds.ts";
import { pepper } from "#test/support/memory.ts";
import { bare } from "#test/support/own-ids.ts";
import { completion, frame, sse, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();

/** The tools that a provider runs have prices, or a request of them would be refused for that. */
const rates = { audio_output: "20", tools: { code_execution: "0.01" } };
beforeEach(() => {
  Object.assign(scenario.memory.deps.catalog.find(model)?.price ?? {}, { rates });
});

/** What the provider was sent last, as text. */
const sent = () => scenario.upstream.requests.at(-1)?.body.toString() ?? "";
const send = (path: string, body: object, headers = scenario.bearer()) =>
  call(scenario.serve, path, { headers, body });

describe("an answer of Responses", () => {
  const marks = () => {
    const give = (id: string) => scenario.memory.give(id);
    return JSON.parse(
      JSON.stringify(answer, (key, value: unknown) =>
        typeof value === "string" &&
        /^(?:id|previous_response_id|container_id|file_id)$/.test(key) &&
        value !== "mine"
          ? give(value)
          : value,
      ),
    ) as object;
  };

  test("has a mark on each id, and every other byte as it came", async () => {
    scenario.upstream.json(answer);
    const reply = await send(responses, { model, input: "Hi" });
    expect(bare(reply.text)).toBe(JSON.stringify(answer));
    expect(reply.json()).toEqual(marks());
  });

  test("has the same marks in all events of its stream, however it is cut", async () => {
    for (const size of [7, 64, stream.length]) {
      scenario.upstream.on((_, response) => {
        response.writeHead(200, sse);
        for (let at = 0; at < stream.length; at += size) response.write(stream.slice(at, at + size));
        response.end();
      });
      const reply = await send(responses, { model, input: "Hi", stream: true });
      expect(bare(reply.text)).toBe(stream);
      const told = reply.text
        .split("\n")
        .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []));
      expect(told.at(-1)).toEqual({ type: "response.completed", response: marks() });
      expect(new Set(told.flatMap(({ item_id }) => item_id ?? []))).toEqual(
        new Set([scenario.memory.give("msg_1")]),
      );
    }
  });

  test("is given again with the same marks to a repetition", async () => {
    scenario.upstream.json(answer);
    const headers = { ...scenario.bearer(), "idempotency-key": "k" };
    const first = await send(responses, { model, input: "Hi" }, headers);
    const again = await send(responses, { model, input: "Hi" }, headers);
    expect([again.headers["x-gateway-replayed"], again.text]).toEqual([first.id, first.text]);
  });

  test("can be sent back with all its items, which go up under the provider's own ids", async () => {
    scenario.upstream.json(answer);
    const { output } = (await send(responses, { model, input: "Hi" })).json() as { output: object[] };
    await send(responses, { model, input: [{ role: "user", content: "Hi" }, ...output] });
    expect((JSON.parse(sent()) as { input: object[] }).input.slice(1)).toEqual(answer.output);
  });

  test("needs no id where an item is whole: one that is not ours is taken out", async () => {
    scenario.upstream.json(answer);
    const [reasoned, said, asked] = answer.output;
    const whole = [
      reasoned,
      { ...said, content: [{ type: "output_text", text: "Hi", annotations: [] }] },
      asked,
    ];
    await send(responses, { model, input: [...whole, { role: "user", content: "Hi" }] });
    const [reasoning, message, called] = (JSON.parse(sent()) as { input: Record<string, unknown>[] }).input;
    expect([reasoning?.id, message?.id, called?.id]).toEqual([undefined, undefined, undefined]);
    expect(called).toMatchObject({ call_id: "call_1", arguments: '{"id":"1"}' });
  });

  test("is continued by the stock SDK", async () => {
    const client = new OpenAI({
      apiKey: scenario.key,
      baseURL: "http://gateway.example/v1",
      maxRetries: 0,
      fetch: async (_, init) => {
        const reply = await send(responses, JSON.parse(String(init?.body)) as object);
        return new Response(reply.text, { status: reply.status, headers: reply.headers });
      },
    });
    scenario.upstream.json(answer);
    const first = await client.responses.create({ model, input: "Hi" });
    scenario.upstream.on((_, response) => response.writeHead(200, sse).end(stream));
    const second = await client.responses.create({
      model,
      input: "Hi",
      previous_response_id: first.id,
      stream: true,
    });
    for await (const event of second) expect(event.type).toMatch(/^response\./);
    expect(JSON.parse(sent())).toMatchObject({ previous_response_id: "resp_1" });
    await expect(
      client.responses.create({ model, input: "Hi", previous_response_id: "resp_1" }),
    ).rejects.toMatchObject({
      status: 400,
      code: "previous_response_not_found",
      param: "previous_response_id",
    });
  });
});

describe("answers that bring no such id", () => {
  test("leave as they came, in a chat and in messages", async () => {
    scenario.upstream.json({ ...completion, id: "audio_1" });
    expect((await scenario.chat()).text).toContain('"id":"audio_1"');
    const message = {
      id: "msg_1",
      type: "message",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "end_turn",
    };
    scenario.upstream.json(message);
    expect((await scenario.message()).text).toBe(JSON.stringify(message));
  });

  test("but a sound has a mark, in each chunk that names it", async () => {
    const audio = (more: object) =>
      frame({
        id: "c",
        choices: [{ index: 0, delta: { audio: { id: "audio_1", ...more } }, finish_reason: null }],
      });
    scenario.upstream.on((_, response) =>
      response.writeHead(200, sse).end(audio({ data: "AA" }) + audio({}) + frame("[DONE]")),
    );
    const reply = await scenario.chat({
      body: {
        model,
        modalities: ["text", "audio"],
        messages: [{ role: "user", content: "Hi" }],
        stream: true,
      },
    });
    expect(reply.text.split(scenario.memory.give("audio_1"))).toHaveLength(3);
  });

  test("but the container of Anthropic's code has one, and its calls have none", async () => {
    const message = {
      id: "msg_1",
      type: "message",
      content: [
        { type: "server_tool_use", id: "srvtoolu_1", name: "bash", input: { file_id: "mine" } },
        {
          type: "bash_code_execution_tool_result",
          tool_use_id: "srvtoolu_1",
          content: { content: [{ file_id: "file_1" }] },
        },
      ],
      stop_reason: "end_turn",
      container: { id: "container_1", expires_at: "2026-11-28T00:00:00Z" },
    };
    scenario.upstream.json(message);
    const tools = [{ type: "code_execution_20250825", name: "code_execution" }];
    const body = { model, max_tokens: 9, messages: [{ role: "user", content: "Hi" }], tools };
    const { give } = scenario.memory;
    const told = JSON.stringify(message)
      .replace('"container_1"', JSON.stringify(give("container_1")))
      .replace('"file_1"', JSON.stringify(give("file_1")));
    expect((await send(messages, body)).text).toBe(told);
  });
});

describe("after a rotation of the pepper", () => {
  const owner = { organization: "org_1", project: "" };
  const old = readPeppers("old");
  const rotated = peppersOf({ version: 2, value: "new" }, old.current);
  const given = marked("resp_1", "abcd", owner, old);

  test("an id that was given before is taken until the version is dropped", () => {
    const own = { id: "resp_1", account: "abcd" };
    expect(unmarked(given, owner, rotated)).toEqual(own);
    expect(unmarked(given, owner, peppersOf(rotated.current))).toBeUndefined();
    expect(unmarked(marked("resp_1", "abcd", owner, rotated), owner, rotated)).toEqual(own);
  });

  test("a process with an old copy reads the secret again for one that is newer", async () => {
    let reads = 0;
    const { secrets } = scenario.memory.deps;
    scenario.memory.deps.secrets = {
      ...secrets,
      peppers: async (stale) => {
        if (stale) reads += 1;
        return stale
          ? peppersOf({ version: 2, value: "new" }, readPeppers(pepper).current)
          : readPeppers(pepper);
      },
    };
    scenario.upstream.json(answer);
    const newer = marked("resp_1", "abcd", scenario.memory.owner(), rotated);
    expect((await send(responses, { model, input: "Hi", previous_response_id: newer })).status).toBe(200);
    expect(reads).toBe(1);
  });
});
