/** Calls that carry an `Idempotency-Key`: one call, one charge, one answer, however often it is sent. */
import { describe, expect, test } from "vitest";
import type { ErrorStyle } from "#shared/base/http/routes.ts";
import { limits } from "#shared/base/limits.ts";
import { open } from "#test/support/call.ts";
import { expectStyle } from "#test/support/error-shape.ts";
import {
  chatBody,
  chatPath,
  completion,
  delta,
  done,
  frame,
  messagesBody,
  noise,
  sse,
  streamOf,
  usageFrame,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();
const keyed = (key = "k-1", more: Record<string, string> = {}) => ({
  ...scenario.bearer(),
  "idempotency-key": key,
  ...more,
});
/** An invocation outlives the time these tests skip. */
const timeLeft = 2 * limits.idempotencySeconds * 1000;
const chat = (body: object | string = chatBody, key = "k-1") =>
  scenario.chat({ headers: keyed(key), body, timeLeft });
const sent = () => scenario.upstream.requests.length;
/** The holds that were not given back. */
const kept = () => scenario.memory.settled.filter(({ settlement }) => !settlement.giveBack);
const later = (seconds: number) => {
  const { now } = scenario.memory.deps;
  scenario.memory.deps.now = () => now() + seconds * 1000;
};

/** A provider that answers when the test says so. */
function gate(): { asked: Promise<void>; open: () => void } {
  const asked = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  scenario.upstream.on(async (_, response) => {
    asked.resolve();
    await opened.promise;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
  });
  return { asked: asked.promise, open: opened.resolve };
}

describe("a repeated call", () => {
  test("is given the same answer, sent and billed once", async () => {
    scenario.upstream.json(completion);
    const first = await chat();
    const again = await chat();
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers).toMatchObject({
      "content-type": first.headers["content-type"],
      "x-gateway-replayed": first.id,
      "x-request-id": again.id,
      "x-gateway-cost-points": "0",
    });
    expect(first.headers["x-gateway-cost-points"]).toBe("0.000065");
    expect(first.headers["x-gateway-replayed"]).toBeUndefined();
    expect(again.headers["x-should-retry"]).toBeUndefined();
    expect([sent(), scenario.memory.events.length, kept().length]).toEqual([1, 1, 1]);
  });

  test("is given a stream's bytes", async () => {
    // Each frame is a read of its own: the provider sends it when the client has the one before.
    const frames = [delta("lo"), delta(" you"), usageFrame + done];
    let next = () => {};
    scenario.upstream.on((_, response) => {
      response.writeHead(200, sse).write(delta("Hel"));
      next = () => void response.write(frames.shift() ?? "");
    });
    const options = { headers: keyed(), body: { ...chatBody, stream: true }, timeLeft };
    const first = await scenario.chat({ ...options, onChunk: () => next() });
    expect(first.chunks).toHaveLength(4);
    const again = await chat({ ...chatBody, stream: true });
    expect(again.text).toBe(first.text);
    expect(again.text).toContain("data: [DONE]");
    expect(again.headers["content-type"]).toBe("text/event-stream");
    expect([sent(), scenario.memory.events.length]).toEqual([1, 1]);
  });

  test("is given the whole of a stream that its client had left", async () => {
    const frames = [delta("Hel"), delta("lo"), usageFrame, done];
    scenario.upstream.on(streamOf(...frames));
    const body = { ...chatBody, stream: true };
    const { reply } = await open(scenario.serve, chatPath, { headers: keyed(), body });
    await reply.after?.();
    expect((await chat(body)).text).toContain("data: [DONE]");
    expect(sent()).toBe(1);
  });

  test("of a form is the same call, whatever its boundary", async () => {
    scenario.upstream.json({ created: 1, data: [{ b64_json: "AA==" }] });
    const send = (boundary: string, prompt = "Red") =>
      scenario.chat({
        headers: keyed("k-1", { "content-type": `multipart/form-data; boundary=${boundary}` }),
        body: formOf(boundary, { model: "test/image-1", prompt }, "PNG"),
        path: "/api/v1/images/edits",
      });
    const first = await send("one");
    expect(first.status).toBe(200);
    expect((await send("two")).headers["x-gateway-replayed"]).toBe(first.id);
    expect((await send("two", "Blue")).status).toBe(400);
  });

  test.each([
    ["the body", { body: { ...chatBody, temperature: 1 } }],
    ["a byte of the body", { body: `${JSON.stringify(chatBody)} ` }],
    ["the query", { path: `${chatPath}?x=1` }],
    ["the content type", { more: { "content-type": "text/plain" } }],
  ])("with another request is refused: %s", async (_, { body, path, more }: Change) => {
    scenario.upstream.json(completion);
    await chat();
    const other = await scenario.chat({ headers: keyed("k-1", more), body: body ?? chatBody, path });
    expect([other.status, sent()]).toEqual([400, 1]);
    expect(other.json()).toMatchObject({ error: { code: "40000", param: "Idempotency-Key" } });
  });

  test("with another model in its path is refused", async () => {
    const send = (model: string) =>
      scenario.chat({
        headers: keyed(),
        path: `/api/v1beta/models/${model}:generateContent`,
        body: { contents: [{ parts: [{ text: "Hi" }] }] },
      });
    scenario.upstream.json({ candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }] });
    expect((await send("test/model-1")).status).toBe(200);
    expect((await send("test/model-one")).status).toBe(400);
    expect((await send("test/model-1")).headers["x-gateway-replayed"]).toBeDefined();
  });

  test("is another call for another key, route or caller", async () => {
    scenario.upstream.json(completion);
    await chat();
    await chat(chatBody, "k-2");
    await scenario.chat({ headers: keyed(), path: "/api/v0/chat/completions" });
    scenario.key = scenario.memory.addKey();
    await chat();
    expect([sent(), scenario.memory.events.length]).toEqual([4, 4]);
  });

  test("is a new call after a day", async () => {
    scenario.upstream.json(completion);
    await chat();
    later(limits.idempotencySeconds - 5);
    expect((await chat()).headers["x-gateway-replayed"]).toBeDefined();
    later(10);
    expect((await chat()).headers["x-gateway-replayed"]).toBeUndefined();
    expect(sent()).toBe(2);
  });

  test("is given nothing once its key is revoked, cached as it may be", async () => {
    scenario.upstream.json(completion);
    await chat();
    scenario.memory.deps.accounts.findPrincipal = async () => undefined;
    expect((await chat()).json()).toMatchObject({ error: { code: "40101" } });
  });
});

type Change = { body?: object | string; path?: string; more?: Record<string, string> };

describe("a call whose twin is running", () => {
  test("is refused, and SDKs are told not to repeat it", async () => {
    const { asked, open: answer } = gate();
    const first = chat();
    await asked;
    const twin = await chat();
    expect([twin.status, twin.headers["x-should-retry"]]).toEqual([409, "false"]);
    expect(twin.json()).toMatchObject({ error: { code: "40900" } });
    answer();
    expect((await first).status).toBe(200);
  });

  test("20 at once are one call, one hold and one charge", async () => {
    const { asked, open: answer } = gate();
    const twins = Array.from({ length: 20 }, () => chat());
    await asked;
    // The one that was sent cannot end before the others have been refused.
    await settledBut(twins, 1);
    answer();
    const replies = await Promise.all(twins);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(19);
    expect([sent(), scenario.memory.events.length, kept().length]).toEqual([1, 1, 1]);
  });
});

/** Resolves when all but `left` of the promises are settled. */
function settledBut(promises: Promise<unknown>[], left: number): Promise<void> {
  return new Promise((resolve) => {
    let open = promises.length;
    for (const each of promises) void each.finally(() => --open === left && resolve());
  });
}

describe("a call that failed", () => {
  test("in its stream is run again", async () => {
    const body = { ...chatBody, stream: true };
    scenario.upstream.on(streamOf(delta("Hel")));
    expect((await chat(body)).text).toContain("50001");
    scenario.upstream.on(streamOf(delta("Hi"), usageFrame, done));
    const again = await chat(body);
    expect(again.text).toContain("[DONE]");
    expect([again.headers["x-gateway-replayed"], sent()]).toEqual([undefined, 2]);
    expect((await chat(body)).headers["x-gateway-replayed"]).toBe(again.id);
  });

  test("before an answer costs nothing, and is run again", async () => {
    const failed = await chat();
    expect([failed.status, failed.headers["x-gateway-cost-points"]]).toEqual([500, "0"]);
    scenario.upstream.json(completion);
    expect((await chat()).status).toBe(200);
  });

  const noOutput = { prompt_tokens: 10, completion_tokens: 0 };
  test.each([
    ["whole", {}, { ...completion, choices: [], usage: noOutput }],
    ["streamed", { stream: true }, [frame({ id: "c", choices: [], usage: noOutput }), done]],
  ])("because it was answered with nothing, %s, is run again", async (_, fields, empty) => {
    const body = { ...chatBody, ...fields };
    if (Array.isArray(empty)) scenario.upstream.on(streamOf(...empty));
    else scenario.upstream.json(empty);
    expect((await chat(body)).status).toBe(200);
    expect((await chat(body)).headers["x-gateway-replayed"]).toBeUndefined();
    expect([sent(), kept().length]).toEqual([2, 0]);
  });

  test("for lack of balance is run again when there is some", async () => {
    const { admission } = scenario.memory;
    scenario.memory.admission = { admitted: false, error: "insufficient_balance", limitStatus: {} };
    expect((await chat()).status).toBe(402);
    scenario.memory.admission = admission;
    scenario.upstream.json(completion);
    expect((await chat()).status).toBe(200);
  });
});

test.each([
  ["compressed", noise(12_000)],
  ["as it left", "a".repeat(limits.replayBytesMax)],
])("an answer that is too large %s is not kept: a repetition is shown its receipt", async (_, text) => {
  scenario.upstream.json({ ...completion, text });
  const first = await chat();
  expect(first.text.length).toBeGreaterThan(text.length);
  const again = await chat();
  expect([again.status, again.headers["x-should-retry"], sent()]).toEqual([409, "false", 1]);
  expect(again.text).toContain(`/api/v1/requests/${first.id}`);
});

describe("a header that is no key", () => {
  const bad = ["", "with space", "a, b", "ümlaut", "x".repeat(256)];
  const styles: [ErrorStyle, string, object][] = [
    ["openai", chatPath, chatBody],
    ["standard", "/api/v1/chat/completions", chatBody],
    ["anthropic", "/v1/messages", messagesBody],
    ["anthropic_superset", "/api/v1/messages", messagesBody],
    ["volcengine", "/api/v3/chat/completions", chatBody],
    [
      "gemini",
      "/api/v1beta/models/test/model-1:generateContent",
      { contents: [{ parts: [{ text: "Hi" }] }] },
    ],
  ];

  test.each(styles)("is refused in the style %s", async (style, path, body) => {
    for (const key of bad) {
      const reply = await scenario.chat({ headers: keyed(key), path, body });
      expect(reply.status).toBe(400);
      expectStyle(style, reply.json());
      expect(reply.headers["x-should-retry"]).toBe("false");
    }
    expect([sent(), scenario.memory.holds.length]).toEqual([0, 0]);
  });

  test("255 visible characters are one", async () => {
    scenario.upstream.json(completion);
    expect((await chat(chatBody, "~".repeat(255))).status).toBe(200);
  });
});

test("a call without the header asks nothing of the store", async () => {
  scenario.upstream.json(completion);
  scenario.memory.deps.replays.claim = () => Promise.reject(new Error("asked"));
  expect((await scenario.chat()).status).toBe(200);
});

function formOf(boundary: string, texts: Record<string, string>, file: string): string {
  const parts = Object.entries(texts).map(
    ([key, text]) => `--${boundary}\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${text}\r\n`,
  );
  const image = `--${boundary}\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n${file}\r\n`;
  return `${parts.join("")}${image}--${boundary}--\r\n`;
}
