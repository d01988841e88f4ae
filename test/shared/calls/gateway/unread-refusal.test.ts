/** A stream breaks off, and the code that reads refusals cannot be loaded: nobody is to blame, and the call ends. */
import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { chatBody, delta, frame, sse, useScenario } from "#test/support/scenario.ts";

vi.mock("#shared/calls/upstreams/read-refusal.ts", () => {
  throw new Error("the part is gone");
});

const scenario = useScenario();

test("its client is told that the provider failed, and no rejection is left unhandled", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const answering = Promise.withResolvers<ServerResponse>();
  scenario.upstream.on((_, response) => {
    response.writeHead(200, sse).write(delta("Hi"));
    answering.resolve(response);
  });
  const error = frame({ error: { message: "x", code: "context_length_exceeded" } });
  const onChunk = () => void answering.promise.then((response) => response.end(error));
  const { text } = await scenario.chat({ body: { ...chatBody, stream: true }, onChunk });
  process.off("unhandledRejection", unhandled);
  expect(text).toContain("50001");
  expect(scenario.memory.events).toMatchObject([{ outcome: "truncated", error: "upstream_error" }]);
  expect(unhandled).not.toHaveBeenCalled();
});
