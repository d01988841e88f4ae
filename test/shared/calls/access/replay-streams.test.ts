/** What is kept of a stream for whoever repeats its call is what its client was given. */
import { expect, test } from "vitest";
import { pause } from "#shared/base/platform/pause.ts";
import { chatBody, delta, done, frame, sse, usageFrame, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const chat = () =>
  scenario.chat({
    headers: { ...scenario.bearer(), "idempotency-key": "k-1" },
    body: { ...chatBody, stream: true },
  });

test("a stream whose last read has more than its end is given again whole", async () => {
  scenario.upstream.on(async (_, response) => {
    response.writeHead(200, sse).write(delta("one "));
    await pause(20);
    response.end(delta("two") + usageFrame + done + frame({ error: { message: "too late" } }));
  });
  const first = await chat();
  expect(first.text).toBe(delta("one ") + delta("two") + usageFrame + done);
  const again = await chat();
  expect([again.text, scenario.upstream.requests.length]).toEqual([first.text, 1]);
});
