/** The proof of work: what the browser's solver finds is taken, and nothing else is. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { peppersOf } from "#shared/base/platform/pepper.ts";
import { addressOf } from "#shared/people/identity/address.ts";
import { newChallenge, readAnswer } from "#shared/people/identity/human.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { solve } from "../../../../console/human-worker.ts";

const at = Date.parse("2026-11-23T08:00:00.500Z");
const ip = "192.0.2.1";
const bits = 8;
const first = keysOf(peppersOf({ version: 1, value: "first" }));
const rotated = keysOf(peppersOf({ version: 2, value: "second" }, { version: 1, value: "first" }));

const solved = (keys = first, from = ip) =>
  solve({ challenge: newChallenge({ ip: from, bits }, at, keys), bits });
const all = [4, bits, 12];

describe("an answer", () => {
  test("of the solver is taken until two minutes are over", () => {
    const answer = solved();
    const nonce = answer.split(".")[1];
    const ends_at = Date.parse("2026-11-23T08:02:00.000Z");
    expect(readAnswer(answer, { ip, at, bits: all }, first)).toEqual({ nonce, ends_at });
    expect(readAnswer(answer, { ip, at: ends_at - 1, bits: all }, first)).toEqual({ nonce, ends_at });
    expect(readAnswer(answer, { ip, at: ends_at, bits: all }, first)).toBeUndefined();
  });

  test("is the first number whose hash, as Node makes it, has the zero bits", () => {
    const zeros = (text: string) => Math.clz32(createHash("sha256").update(text).digest().readUInt32BE());
    fc.assert(
      fc.property(
        fc.stringMatching(/^[\w.-]{1,42}$/),
        fc.integer({ min: 0, max: 9 }),
        (challenge, wanted) => {
          const answer = solve({ challenge, bits: wanted });
          const count = Number.parseInt(answer.slice(challenge.length + 1), 36);
          const tried = Array.from({ length: count + 1 }, (_, i) => zeros(`${challenge}.${i.toString(36)}`));
          expect(tried.findIndex((found) => found >= wanted)).toBe(count);
        },
      ),
      { seed: 16, numRuns: 60 },
    );
  });

  test("of another address, another secret or too little work is not taken", () => {
    const other = keysOf(peppersOf({ version: 1, value: "other" }));
    expect(readAnswer(solved(), { ip: "192.0.2.2", at, bits: all }, first)).toBeUndefined();
    expect(readAnswer(solved(other), { ip, at, bits: all }, first)).toBeUndefined();
    const challenge = newChallenge({ ip, bits: 12 }, at, first);
    // The work of an easier challenge does not do, and neither does a number of bits that is not given any more.
    expect(readAnswer(solve({ challenge, bits: 4 }), { ip, at, bits: all }, first)).toBeUndefined();
    const hard = solve({ challenge, bits: 12 });
    expect(readAnswer(hard, { ip, at, bits: all }, first)).toBeDefined();
    expect(readAnswer(hard, { ip, at, bits: [4, bits] }, first)).toBeUndefined();
  });

  test("to a challenge of the version before is taken after a rotation, and none of a dropped one", () => {
    expect(readAnswer(solved(), { ip, at, bits: all }, rotated)).toBeDefined();
    const dropped = keysOf(peppersOf({ version: 2, value: "second" }));
    expect(readAnswer(solved(), { ip, at, bits: all }, dropped)).toBeUndefined();
    expect(readAnswer(solved(rotated), { ip, at, bits: all }, dropped)).toBeDefined();
  });

  test("that was changed in any letter is not taken", () => {
    const answer = solved();
    for (const place of Array.from(answer.slice(0, answer.lastIndexOf(".")), (_, i) => i)) {
      const letter = answer[place] === "a" ? "b" : "a";
      const changed = `${answer.slice(0, place)}${letter}${answer.slice(place + 1)}`;
      expect(readAnswer(changed, { ip, at, bits: all }, first), changed).toBeUndefined();
    }
  });

  test("is never taken of any other text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        expect(readAnswer(text, { ip, at, bits: all }, first)).toBeUndefined();
      }),
      { seed: 16 },
    );
  });
});

describe("the solver", () => {
  test("finds the usual number of bits", () => {
    const challenge = newChallenge({ ip, bits: 18 }, at, first);
    expect(challenge.length).toBeLessThanOrEqual(42);
    const hash = createHash("sha256")
      .update(solve({ challenge, bits: 18 }))
      .digest();
    expect(Math.clz32(hash.readUInt32BE())).toBeGreaterThanOrEqual(18);
  });

  test("refuses what is longer than a block", () => {
    expect(() => solve({ challenge: "x".repeat(54), bits: 1 })).toThrow(RangeError);
  });
});

describe("an address", () => {
  test.each([
    ["192.0.2.77", "192.0.2.77", "192.0.2.0/24"],
    ["::ffff:192.0.2.77", "192.0.2.77", "192.0.2.0/24"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["2001:0DB8:0001:0002::9", "2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["2001:db8::1", "2001:db8:0:0::/64", "2001:db8:0::/48"],
    ["::1", "0:0:0:0::/64", "0:0:0::/48"],
    ["64:ff9b::192.0.2.33", "64:ff9b:0:0::/64", "64:ff9b:0::/48"],
    ["fe80::1%eth0", "fe80:0:0:0::/64", "fe80:0:0::/48"],
    ["nowhere", "nowhere", "nowhere"],
  ])("%s counts as %s in %s", (text, own, network) => {
    expect(addressOf(text)).toEqual({ ip: own, network });
  });

  test("is one with every other of its /64, and never one of another", () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    const groups = fc.array(group, { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, groups, (one, other) => {
        const same = [...one.slice(0, 4), ...other.slice(4)];
        expect(addressOf(same.join(":"))).toEqual(addressOf(one.join(":")));
        const isSame = one.slice(0, 4).join() === other.slice(0, 4).join();
        expect(addressOf(one.join(":")).ip === addressOf(other.join(":")).ip).toBe(isSame);
      }),
      { seed: 16 },
    );
  });
});
