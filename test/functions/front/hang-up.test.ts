/** A client that hangs up behind the server's front, and said before what becomes of its stream then. */
import { once } from "node:events";
import { Agent, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { useFronts } from "#test/support/front.ts";
import { closed, frontCalls, reported, streamBody } from "#test/support/front-calls.ts";
import { chatPath, delta, done, sse, streamOf, usageFrame, useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const fronts = useFronts();
const { call, settled, startedStream } = frontCalls(scenario);

describe("a client that hangs up, and wished its provider to be broken off then", () => {
  const abort = { "x-gateway-on-disconnect": "abort" };
  const aborted = { outcome: "truncated", evidence: "estimated", calls: 1, flags: ["no_usage", "aborted"] };

  test("in a stream is billed what came, and its provider is broken off", async () => {
    const front = await fronts.open(scenario.serve);
    const started = startedStream();
    const answer = await call(front.port, streamBody, abort);
    await once(answer, "readable");
    const provider = await started;
    const brokenOff = closed(provider);
    answer.destroy();
    await brokenOff;
    await settled(1);
    const [event] = scenario.memory.events;
    expect(event).toMatchObject(aborted);
    expect(event).not.toHaveProperty("error");
    expect(event?.usage).toMatchObject({ output_tokens: 1 });
    expect(event?.usage.input_tokens).toBeGreaterThan(0);
    const { windows } = await scenario.memory.boards.read("test/model-1", Date.now());
    expect(JSON.stringify(windows)).not.toContain("faults");
    expect(scenario.memory.logs.map(({ event }) => event)).not.toContain("stream_failed");
  });

  test("by its key, as by its header", async () => {
    scenario.key = scenario.memory.addKey({ defaults: { on_disconnect: "abort" } });
    const front = await fronts.open(scenario.serve);
    const started = startedStream();
    const answer = await call(front.port, streamBody);
    await once(answer, "readable");
    const brokenOff = closed(await started);
    answer.destroy();
    await brokenOff;
    await settled(1);
    expect(scenario.memory.events).toMatchObject([aborted]);
  });

  test("before the first frame waits for it, and is billed its input", async () => {
    const front = await fronts.open(scenario.serve);
    const asked = new Promise<ServerResponse>((resolve) =>
      scenario.upstream.on((_, response) => resolve(response)),
    );
    const options = { port: front.port, path: chatPath, method: "POST" };
    const sent = ask({
      ...options,
      headers: { ...scenario.bearer(), ...abort, "content-type": "application/json" },
    });
    sent.on("error", () => {}).end(JSON.stringify(streamBody));
    const provider = await asked;
    sent.destroy();
    await closed(sent);
    const brokenOff = closed(provider);
    provider.writeHead(200, sse).write(delta(""));
    await brokenOff;
    await settled(1);
    const [event] = scenario.memory.events;
    expect(event).toMatchObject(aborted);
    expect(event?.usage).toMatchObject({ output_tokens: 0 });
    expect(event?.cost_points).not.toBe("0");
  });

  test("has a stream that ended billed as reported, and further calls of its connection are not touched", async () => {
    const front = await fronts.open(scenario.serve);
    scenario.upstream.on(streamOf(delta("Hi"), usageFrame, done));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (const _ of [1, 2]) {
      const sent = ask({
        ...{ port: front.port, path: chatPath, method: "POST", agent },
        headers: { ...scenario.bearer(), ...abort, "content-type": "application/json" },
      });
      sent.end(JSON.stringify(streamBody));
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      expect(await text(answer)).toBe(delta("Hi") + usageFrame + done);
    }
    agent.destroy();
    await settled(2);
    expect(scenario.memory.events).toMatchObject([reported, reported]);
    expect(scenario.memory.events.flatMap(({ flags }) => flags)).toEqual([]);
  });

  test("but one that wishes `drain` has its stream read to the end", async () => {
    const front = await fronts.open(scenario.serve);
    const started = startedStream();
    const answer = await call(front.port, streamBody, { "x-gateway-on-disconnect": "drain" });
    await once(answer, "readable");
    answer.destroy();
    const provider = await started;
    await once(answer.socket, "close");
    provider.end(usageFrame + done);
    await settled(1);
    expect(scenario.memory.events).toMatchObject([reported]);
  });

  test("another wish is refused, and nothing is held", async () => {
    const front = await fronts.open(scenario.serve);
    const answer = await call(front.port, streamBody, { "x-gateway-on-disconnect": "stop" });
    expect(answer.statusCode).toBe(400);
    expect(await text(answer)).toContain("The values of x-gateway-on-disconnect are `drain` and `abort`.");
    expect(scenario.memory.holds).toEqual([]);
  });
});
