/** The event of a failed call: the error that the client got, and the status of each provider. */
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { chatBody, delta, frame, sse, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const streamed = { body: { ...chatBody, stream: true } };
const overflow = { message: "too long", type: "invalid_request_error", code: "context_length_exceeded" };

/** A stream that ends so once its client has its first frame. */
async function streamEnding(end: (response: ServerResponse) => unknown) {
  let answering: ServerResponse | undefined;
  scenario.upstream.on((_, response) => {
    answering = response;
    response.writeHead(200, sse).write(delta("Hi"));
  });
  const onChunk = () => {
    if (answering && !answering.writableEnded) end(answering);
  };
  return await scenario.chat({ ...streamed, onChunk });
}

/** The code that the client reads, of an error's body or of the last frame. */
const codeIn = (text: string) => Number(/"code":"?(\d{5})/.exec(text)?.[1]);
const attemptsOf = (at = 0) =>
  scenario.memory.events[at]?.route?.attempts.map(({ outcome, status }) => [outcome, status]);

test("of a provider that fails, with its status", async () => {
  scenario.upstream.on((_, response) => void response.writeHead(503).end());
  const { text } = await scenario.chat();
  expect(codeIn(text)).toBe(50001);
  expect(scenario.memory.events).toMatchObject([{ outcome: "failed", error: "upstream_error" }]);
  expect(attemptsOf()).toEqual([["fault", 503]]);
});

test("of a provider that cannot be reached, without a status", async () => {
  scenario.upstream.on((_, response) => void response.destroy());
  await scenario.chat();
  expect(scenario.memory.events).toMatchObject([{ error: "upstream_error" }]);
  expect(attemptsOf()).toEqual([["fault", undefined]]);
});

test("of a request that its provider blames", async () => {
  scenario.upstream.on((_, response) => {
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error: overflow }));
  });
  const { text, status } = await scenario.chat();
  expect([status, scenario.memory.events[0]?.error]).toEqual([400, "invalid_request"]);
  expect(text).toContain("invalid_request");
  expect(attemptsOf()).toEqual([["blamed", 400]]);
});

test("of a call that could be sent to nobody", async () => {
  scenario.memory.deps.secrets.provider = async () => undefined;
  expect(codeIn((await scenario.chat()).text)).toBe(50002);
  expect(scenario.memory.events).toMatchObject([{ outcome: "failed", error: "no_channel", attempts: 0 }]);
});

test("of a stream that broke off, whose answer had begun", async () => {
  const { text, status } = await streamEnding((response) => response.destroy());
  expect([status, codeIn(text)]).toEqual([200, 50001]);
  expect(scenario.memory.events).toMatchObject([{ outcome: "truncated", error: "upstream_error" }]);
});

test("of a stream whose provider blames the request in its middle", async () => {
  await streamEnding((response) => response.end(frame({ error: overflow })));
  expect(scenario.memory.events).toMatchObject([{ outcome: "truncated", error: "invalid_request" }]);
});

test("of a call that is refused while its hold may stand", async () => {
  scenario.memory.admission = {
    ...{ admitted: false, error: "insufficient_balance", limitStatus: {}, holdMayStand: true },
  };
  await scenario.chat();
  expect(scenario.memory.events).toMatchObject([{ outcome: "failed", error: "insufficient_balance" }]);
});

test("and nothing of a call that completes", async () => {
  scenario.upstream.on((_, response) => {
    const { usage, ...rest } = {
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      id: "c",
    };
    const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ ...rest, object: "chat.completion", choices, usage }));
  });
  await scenario.chat();
  expect(scenario.memory.events).toMatchObject([{ outcome: "completed" }]);
  expect(scenario.memory.events[0]).not.toHaveProperty("error");
  expect(attemptsOf()).toEqual([["answered", undefined]]);
});
