/**
 * A call with an idempotency key whose process dies, or whose stores fail, at each of its writes. A client that
 * saw the end and repeats the call is never charged twice.
 */
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { call } from "#test/support/call.ts";
import {
  chatBody,
  chatPath,
  completion,
  delta,
  done,
  noise,
  streamOf,
  usageFrame,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();

/** Of an answer that is too long for its key's record. */
const long = noise(30);
const longCompletion = { ...completion, note: long };

/** The writes of a call, in their order; an answer that fits into its key's record has no `keep`. */
const writes = [
  ["replays", "claim"],
  ["meters", "admit"],
  ["meters", "intend"],
  ["queue", "send"],
  ["replays", "keep"],
  ["replays", "conclude"],
  ["meters", "settle"],
] as const;
type Port = (...values: unknown[]) => Promise<unknown>;
type Fault = "dies before" | "dies after" | "fails at";
const faults: Fault[] = ["dies before", "dies after", "fails at"];
const matrix = writes.flatMap(([room, name]) =>
  faults.flatMap((fault) =>
    ["stream", "whole answer"].map((kind) => [fault, `${room}.${name}`, kind, room, name] as const),
  ),
);

const never = () => new Promise<never>(() => {});

/** Puts the fault in place; gives when it was met, and what heals it again. */
function inject(room: (typeof writes)[number][0], name: string, fault: Fault) {
  const ports = scenario.memory.deps[room] as unknown as Record<string, Port>;
  const sound = ports[name] as Port;
  const met = Promise.withResolvers<void>();
  ports[name] = async (...values) => {
    if (fault === "dies after") await sound(...values);
    met.resolve();
    if (fault === "fails at") throw new Error("store down");
    return never();
  };
  const heal = () => {
    ports[name] = sound;
  };
  return { met: met.promise, heal };
}

function send(stream: boolean, onChunk?: (chunk: Buffer) => void) {
  return call(scenario.serve, chatPath, {
    headers: { ...scenario.bearer(), "idempotency-key": "k" },
    body: { ...chatBody, stream },
    timeLeft: 2 * limits.holdExpirySeconds * 1000,
    ...(onChunk ? { onChunk } : {}),
  });
}

test.each(matrix)("a call that %s %s (%s)", async (fault, _, kind, room, name) => {
  const stream = kind === "stream";
  const { memory, upstream } = scenario;
  const text = name === "keep" ? long : "Hi";
  if (stream) upstream.on(streamOf(delta(text), usageFrame, done));
  else upstream.json({ ...completion, text });
  // What the queue has taken is in the ledger by the time anybody looks.
  const events = () => [...memory.events, ...memory.direct];
  memory.deps.ledger.entriesOf = async (_organization, id) =>
    events()
      .filter((event) => event.id === id)
      .map((event) => ({ event }) as Entry);
  const { met, heal } = inject(room, name, fault);

  let seen = "";
  const first = send(stream, (chunk) => (seen += chunk.toString()));
  await Promise.race([first, met.then(fault === "fails at" ? () => first : undefined)]);
  const sawTheEnd = seen.includes(stream ? "[DONE]" : '"choices"');
  heal();
  if (sawTheEnd) expect(events()).toHaveLength(1);

  const asked = upstream.requests.length;
  await send(stream);
  if (sawTheEnd) expect(upstream.requests).toHaveLength(asked);

  outliveHolds();
  const later = await send(stream);
  expect([200, 409]).toContain(later.status);
  const last = await send(stream);
  expect(last.status).toBe(later.status);
  expect(upstream.requests.length).toBeLessThanOrEqual(sawTheEnd ? 1 : 2);
  expect(events().length).toBeLessThanOrEqual(sawTheEnd ? 1 : 2);
});

/** Skips the time after which a hold belongs to a dead call. */
function outliveHolds(): void {
  const { now } = scenario.memory.deps;
  scenario.memory.deps.now = () => now() + (limits.holdExpirySeconds + 1) * 1000;
}

describe("a repetition", () => {
  test("of a call whose end could not be stored is refused, whenever it comes, and shown the receipt", async () => {
    const { memory, upstream } = scenario;
    upstream.json(completion);
    const { heal } = inject("replays", "conclude", "fails at");
    const first = await send(false);
    heal();
    expect((await send(false)).text).toContain("still running");
    outliveHolds();
    memory.deps.ledger.entriesOf = async () => [{ event: memory.events[0] } as Entry];
    const again = await send(false);
    expect([again.status, upstream.requests.length]).toEqual([409, 1]);
    expect(again.text).toContain(`/api/v1/requests/${first.id}`);
  });

  test("of a call whose answer could not be kept is refused, and shown the receipt", async () => {
    scenario.upstream.json(longCompletion);
    const { heal } = inject("replays", "keep", "fails at");
    const first = await send(false);
    heal();
    expect([first.status, first.json()]).toEqual([200, longCompletion]);
    const again = await send(false);
    expect([again.status, scenario.upstream.requests.length]).toEqual([409, 1]);
    expect(again.text).toContain(`/api/v1/requests/${first.id}`);
  });

  test("of a call that died before its end runs once its hold has expired, and not before", async () => {
    const { memory, upstream } = scenario;
    upstream.json(completion);
    const { met, heal } = inject("queue", "send", "dies before");
    void send(false);
    await met;
    heal();
    expect((await send(false)).status).toBe(409);
    outliveHolds();
    // The sweeper's guess at what it cost is no end that anybody saw.
    const guess = { source: "sweeper", outcome: "truncated" } as UsageEvent;
    memory.deps.ledger.entriesOf = async () => [{ event: guess } as Entry];
    const twins = await Promise.all([send(false), send(false), send(false)]);
    expect(twins.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(upstream.requests).toHaveLength(2);
  });
});

test("a claim whose answer was lost is given back: the repetition runs at once", async () => {
  const { memory, upstream } = scenario;
  upstream.json(completion);
  const { claim } = memory.deps.replays;
  memory.deps.replays.claim = async (...claimed) => {
    await claim(...claimed);
    throw new Error("connection reset");
  };
  expect((await send(false)).status).toBe(500);
  memory.deps.replays.claim = claim;
  expect((await send(false)).status).toBe(200);
  expect(upstream.requests).toHaveLength(1);
});

describe("the end of an answer", () => {
  test.each(["send", "keep", "conclude"] as const)("is held while %s is under way", async (name) => {
    const room = name === "send" ? "queue" : "replays";
    const begun = delta(long);
    scenario.upstream.on(streamOf(begun, usageFrame, done));
    const { met } = inject(room, name, "dies before");
    let seen = "";
    void send(true, (chunk) => (seen += chunk.toString()));
    await met;
    expect(seen).toBe(begun);
  });

  test.each([
    ["in its key's record", "Hi", ["durable", "concluded"]],
    ["beside it", long, ["durable", "kept", "concluded"]],
  ])("is kept only once its usage is durable: %s", async (_, text, writes) => {
    scenario.upstream.json({ ...completion, text });
    const order: string[] = [];
    const { queue, replays } = scenario.memory.deps;
    const { send: queued } = queue;
    const { keep, conclude } = replays;
    queue.send = async (event) => {
      await queued(event);
      order.push("durable");
    };
    replays.keep = async (...answer) => {
      order.push("kept");
      await keep(...answer);
    };
    replays.conclude = async (...end) => {
      order.push("concluded");
      await conclude(...end);
    };
    await send(false);
    expect(order).toEqual(writes);
  });
});
