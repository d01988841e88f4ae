/** Bodies on their way in: their room, their time, and whose they are (functions/front/bodies.ts, room.ts, gather.ts). */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough, Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { type Bodies, type BodyOutcome, createBodies } from "../../../functions/front/bodies.ts";
import { createRoom } from "../../../functions/front/room.ts";

const bounds = {
  bodiesBytesMax: 400,
  strangerBodyBytesMax: 40,
  strangersBytesMax: 100,
  strangerBodyMs: 2_000,
  bodyRateBytesMin: 10,
  bodyRateMs: 10_000,
};

/** Bodies under a clock that the test moves. */
function bodiesAt(): { bodies: Bodies; pass: (ms: number) => void } {
  let now = 0;
  const bodies = createBodies(bounds, { now: () => now });
  return {
    bodies,
    pass(ms) {
      now += ms;
      bodies.check();
    },
  };
}

/** One body that a test sends piece by piece. */
interface Sent {
  outcome: Promise<BodyOutcome>;
  /** Sends a piece, and resolves once it was read or will not be. */
  send: (text: string) => Promise<void>;
  end: () => void;
  stream: PassThrough;
  /** How often it was asked whose it is. */
  looks: () => number;
}

type Found = Awaited<ReturnType<Parameters<Bodies["read"]>[1]["look"]>>;

/** Begins a body. `whose` is what its head says. */
function begin(
  bodies: Bodies,
  whose: Found,
  { length, address = "192.0.2.1" }: { length?: number; address?: string } = {},
): Sent {
  const stream = new PassThrough();
  const headers =
    length === undefined ? { "transfer-encoding": "chunked" } : { "content-length": String(length) };
  const incoming = Object.assign(stream, { headers }) as unknown as IncomingMessage;
  let looks = 0;
  const look = async () => {
    looks += 1;
    return whose;
  };
  const outcome = Promise.resolve(bodies.read(incoming, { address, look, invite: () => {} }));
  return {
    outcome,
    stream,
    looks: () => looks,
    async send(text) {
      stream.write(text);
      for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
    },
    end: () => void stream.end(),
  };
}

const nobody = { status: 401, headers: {}, body: "{}" };
const textOf = (outcome: BodyOutcome) =>
  typeof outcome === "object" && "over" in outcome ? String(outcome.body) : outcome;

describe("room", () => {
  const owners = ["one", "two", "three", "four"];
  const step = fc.record({
    owner: fc.constantFrom(...owners),
    bytes: fc.nat(60),
    gives: fc.boolean(),
  });

  test("is never overdrawn, nobody takes more than is left for the others, and all comes back", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const room = createRoom(100);
        const has = new Map<string, number>();
        const sum = () => [...has.values()].reduce((all, each) => all + each, 0);
        for (const { owner, bytes, gives } of steps) {
          const own = has.get(owner) ?? 0;
          if (gives) {
            room.give(owner, own);
            has.delete(owner);
          } else if (room.take(owner, bytes)) {
            has.set(owner, own + bytes);
            expect(own + bytes).toBeLessThanOrEqual(100 - sum());
          } else expect(own + bytes).toBeGreaterThan(100 - sum() - bytes);
          expect(room.of(owner)).toBe(has.get(owner) ?? 0);
        }
        for (const [owner, own] of has) room.give(owner, own);
        expect(room.take("new", 50)).toBe(true);
      }),
    );
  });
});

describe("a stranger's body", () => {
  test("that is small and comes at once is asked nothing, and takes no room", async () => {
    const { bodies } = bodiesAt();
    for (let at = 0; at < 10; at++) {
      const sent = begin(bodies, nobody, { length: 40 });
      await sent.send("a".repeat(40));
      sent.end();
      expect(textOf(await sent.outcome)).toBe("a".repeat(40));
      expect(sent.looks()).toBe(0);
    }
  });

  test("that is small and comes in pieces is asked nothing either", async () => {
    const { bodies } = bodiesAt();
    const sent = begin(bodies, nobody);
    for (const piece of ["ab", "c"]) await sent.send(piece);
    sent.end();
    expect(textOf(await sent.outcome)).toBe("abc");
    expect(sent.looks()).toBe(0);
  });

  test.each([
    ["declares more than a stranger may send", { length: 41 }, ""],
    ["sends more than a stranger may send", {}, "a".repeat(41)],
  ])("that %s is refused, and none of it is read on", async (_, declared, first) => {
    const { bodies } = bodiesAt();
    const sent = begin(bodies, nobody, declared);
    await sent.send(first);
    expect(await sent.outcome).toBe(nobody);
    expect(sent.looks()).toBe(1);
  });

  test("on a route without keys has no more than that", async () => {
    const { bodies } = bodiesAt();
    expect(await begin(bodies, undefined, { length: 41 }).outcome).toBe("needs_key");
  });

  test("that holds back its last byte is asked whose it is after two seconds", async () => {
    const { bodies, pass } = bodiesAt();
    const [stranger, known] = [begin(bodies, nobody, { length: 20 }), begin(bodies, "org_1", { length: 20 })];
    for (const sent of [stranger, known]) await sent.send("a".repeat(19));
    pass(bounds.strangerBodyMs - 1);
    expect([stranger.looks(), known.looks()]).toEqual([0, 0]);
    pass(1);
    expect(await stranger.outcome).toBe(nobody);
    await known.send("b");
    known.end();
    expect(textOf(await known.outcome)).toBe(`${"a".repeat(19)}b`);
  });

  test("finds the strangers' room full, and goes on under its own key", async () => {
    const { bodies } = bodiesAt();
    // One address has as much as is left for all others: 50 of 100 bytes.
    const slow = Array.from({ length: 2 }, () => begin(bodies, nobody, { length: 40 }));
    for (const sent of slow) await sent.send("a".repeat(25));
    const customer = begin(bodies, "org_1", { length: 30 });
    await customer.send("b".repeat(20));
    expect(customer.looks()).toBe(1);
    await customer.send("b".repeat(10));
    customer.end();
    expect(textOf(await customer.outcome)).toBe("b".repeat(30));
    const elsewhere = begin(bodies, nobody, { length: 30, address: "198.51.100.7" });
    await elsewhere.send("c".repeat(20));
    expect(elsewhere.looks()).toBe(0);
  });

  test("that goes away leaves its room", async () => {
    const { bodies } = bodiesAt();
    for (let at = 0; at < 5; at++) {
      const sent = begin(bodies, nobody, { length: 40 });
      await sent.send("a".repeat(39));
      expect(sent.looks()).toBe(0);
      sent.stream.destroy();
      expect(await sent.outcome).toBe(undefined);
    }
  });
});

describe("an organization's body", () => {
  /** A body of so many bytes that are here, and one that is not. */
  const held = async (bodies: Bodies, organization: string, bytes: number) => {
    const sent = begin(bodies, organization, { length: bytes + 1 });
    await sent.send("a".repeat(bytes));
    return sent;
  };
  const isOver = async ({ outcome }: Sent) => await Promise.race([outcome, "on its way"]);

  test.each([
    ["stops", "", "too_slow"],
    ["trickles", "a".repeat(9), "too_slow"],
    ["keeps the least rate", "a".repeat(10), "on its way"],
  ])("that %s within ten seconds", async (_, piece, expected) => {
    const { bodies, pass } = bodiesAt();
    const sent = begin(bodies, "org_1", { length: 200 });
    await sent.send("a".repeat(100));
    pass(bounds.bodyRateMs);
    await sent.send(piece);
    pass(bounds.bodyRateMs);
    expect(await isOver(sent)).toBe(expected);
  });

  test("has its room until its call is over", async () => {
    const { bodies } = bodiesAt();
    const sent = begin(bodies, "org_1", { length: 150 });
    await sent.send("a".repeat(150));
    sent.end();
    const whole = await sent.outcome;
    const second = await held(bodies, "org_1", 60);
    expect(await second.outcome).toBe("no_room");
    if (typeof whole === "object" && "over" in whole) whole.over();
    expect(await isOver(await held(bodies, "org_1", 60))).toBe("on its way");
  });

  test("finds room beside those of many others, which give way from the largest down", async () => {
    const { bodies } = bodiesAt();
    const greedy: Sent[] = [];
    for (const organization of ["org_1", "org_2", "org_3", "org_4", "org_5"])
      for (let at = 0; at < 6; at++) greedy.push(await held(bodies, organization, 50));
    const small = await held(bodies, "org_6", 60);
    expect(await isOver(small)).toBe("on its way");
    const left = await Promise.all(greedy.map(isOver));
    expect(left.filter((each) => each === "on its way").length).toBeGreaterThanOrEqual(5);
    expect(new Set(left)).toEqual(new Set(["on its way", "no_room"]));
  });

  test("gives way to nobody who has as much", async () => {
    const { bodies } = bodiesAt();
    const one = await held(bodies, "org_1", 190);
    const two = await held(bodies, "org_2", 190);
    expect(await isOver(one)).toBe("on its way");
    expect(await isOver(two)).toBe("no_room");
  });

  test("over the limit is refused while it arrives", async () => {
    const { bodies } = bodiesAt();
    expect(await begin(bodies, "org_1", { length: limits.bodyBytesMax + 1 }).outcome).toBe("too_large");
  });
});

describe("a body of a declared length", () => {
  const digits = "0123456789".repeat(10);
  const read = async (stream: Readable, length: number) => {
    const headers = { "content-length": String(length) };
    const incoming = Object.assign(stream, { headers }) as unknown as IncomingMessage;
    const look = async () => "org_1";
    return textOf(await bodiesAt().bodies.read(incoming, { address: "", look, invite: () => {} }));
  };
  /** Each piece has memory of its own, as those of Node's parser have. */
  const piecesOf = (each: number) =>
    Array.from({ length: Math.ceil(digits.length / each) }, (_, at) => {
      const piece = Buffer.allocUnsafeSlow(Math.min(each, digits.length - at * each));
      piece.write(digits.slice(at * each), "latin1");
      return piece;
    });
  const isFreed = ({ buffer }: Buffer) => (buffer as ArrayBuffer).detached;

  test.each([1, 3, 7, 40, 64, 100])(
    "is whole, in pieces of %i bytes, and their memory is given back",
    async (each) => {
      const pieces = piecesOf(each);
      expect(await read(Readable.from(pieces), digits.length)).toBe(digits);
      expect(pieces.every(isFreed)).toBe(pieces.length > 1);
    },
  );

  test("takes its memory only once a quarter of it is here", async () => {
    const pieces = piecesOf(8);
    const sent = new PassThrough();
    const whole = read(sent, 100);
    await new Promise(setImmediate);
    const freed: boolean[] = [];
    for (const piece of pieces) {
      const taken = once(sent, "data");
      sent.write(piece);
      await taken;
      freed.push(pieces.some(isFreed));
    }
    sent.end();
    expect(await whole).toBe(digits);
    expect(freed.indexOf(true)).toBe(3);
  });

  test("leaves memory alone that a piece shares with others", async () => {
    const shared = Buffer.from(new ArrayBuffer(100)).fill("a");
    expect(await read(Readable.from([shared.subarray(0, 50), shared.subarray(50)]), 100)).toBe(
      "a".repeat(100),
    );
    expect(shared.length).toBe(100);
  });
});
