/** The laws of a session: its chain of refresh tokens and its end. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSameSecret } from "#shared/base/platform/encryption.ts";
import { newId } from "#shared/base/platform/id.ts";
import { codeHash, codeName, isCode, newCode, nextCode, waitForNext } from "#shared/people/identity/code.ts";
import type { Contact } from "#shared/people/identity/contact.ts";
import { eachVersion, keysOf } from "#shared/people/identity/identity-keys.ts";
import {
  isOpen,
  readRefreshToken,
  refreshOf,
  refreshToken,
  sessionEnd,
} from "#shared/people/identity/session.ts";
import type { Session } from "#shared/people/identity/user.ts";
import { bothSecrets, firstSecret, secondSecret } from "#test/support/people.ts";

const noon = Date.parse("2026-11-23T12:00:00Z");
const day = 86_400_000;
const [user, session] = [newId("user", noon), newId("session", noon)];
const first = keysOf(firstSecret);

describe("a refresh token", () => {
  test("is read again under every version in use, and under no other", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), (generation) => {
        const token = { user, session, generation };
        const text = refreshToken(token, first.current);
        expect(readRefreshToken(text, eachVersion(first))).toEqual(token);
        expect(readRefreshToken(text, eachVersion(keysOf(bothSecrets)))).toEqual(token);
        expect(readRefreshToken(text, eachVersion(keysOf(secondSecret)))).toBeUndefined();
      }),
      { seed: 16 },
    );
  });

  test("with any part changed is none", () => {
    const parts = refreshToken({ user, session, generation: 7 }, first.current).split(".");
    const others = [newId("user", noon), newId("session", noon), "8", "A".repeat(43)];
    for (const [at, other] of others.entries())
      expect(readRefreshToken(parts.with(at, other).join("."), eachVersion(first))).toBeUndefined();
  });

  test("is told from any other text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readRefreshToken(text, eachVersion(first))).toBeUndefined();
      }),
      { seed: 16 },
    );
  });
});

describe("what a generation may do", () => {
  test("is decided by its distance and the ten seconds, and by nothing else", () => {
    const at = { generation: 5, refreshed_at: noon };
    const rows: [given: number, after: number, verdict: string][] = [
      [5, 0, "next"],
      [5, 29 * day, "next"],
      [4, 0, "repeat"],
      [4, 9_999, "repeat"],
      [4, 10_000, "reused"],
      [3, 0, "reused"],
      [1, 0, "reused"],
      [6, 0, "unknown"],
      [7, 10_000, "unknown"],
    ];
    for (const [given, after, verdict] of rows) expect(refreshOf(at, given, noon + after)).toBe(verdict);
  });
});

describe("a session", () => {
  const made: Session = {
    id: session,
    user,
    generation: 1,
    refreshed_at: noon,
    created_at: noon,
    label: "",
    ip: "",
    ended_at: null,
  };

  test("ends 30 days after its last refresh, and 90 after its beginning", () => {
    expect(sessionEnd(made)).toBe(noon + 30 * day);
    expect(sessionEnd({ ...made, refreshed_at: noon + 89 * day })).toBe(noon + 90 * day);
    expect(isOpen(made, noon + 30 * day - 1)).toBe(true);
    expect(isOpen(made, noon + 30 * day)).toBe(false);
    expect(isOpen({ ...made, ended_at: noon }, noon)).toBe(false);
    const provided = { ...made, sign_on: "org_1" };
    expect([sessionEnd(provided), sessionEnd(provided, 3_600)]).toEqual([noon + day, noon + day / 24]);
  });
});

describe("a code", () => {
  test("has six digits, of which each may be any", () => {
    const codes = Array.from({ length: 2_000 }, newCode);
    expect(codes.every(isCode)).toBe(true);
    for (let place = 0; place < 6; place++) expect(new Set(codes.map((code) => code[place])).size).toBe(10);
  });

  test("is stored by phone, code and secret, and its name by phone and secret", () => {
    const phone: Contact = { kind: "phone", text: "+8613800138000" };
    const other: Contact = { kind: "phone", text: "+8613800138001" };
    const keys = first.current;
    const hashes = [
      codeHash(phone, "123456", keys),
      codeHash(phone, "123457", keys),
      codeHash(other, "123456", keys),
      codeHash(phone, "123456", keysOf(bothSecrets).current),
      codeName(phone, keys),
      codeName(other, keys),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(isSameSecret(hashes[0] ?? "", codeHash(phone, "123456", keys))).toBe(true);
    expect(isSameSecret(hashes[0] ?? "", hashes[1] ?? "")).toBe(false);
    expect(isSameSecret(hashes[0] ?? "", "")).toBe(false);
  });

  test("is sent once a minute and ten times a UTC day, whenever somebody asks", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 * 3_600_000 }), { maxLength: 60 }), (pauses) => {
        let [at, record] = [noon, undefined as ReturnType<typeof nextCode> | undefined];
        const sent: number[] = [];
        for (const pause of pauses) {
          at += pause;
          const { wait_ms } = waitForNext(record, at);
          if (wait_ms > 0) {
            // Whoever waits as long as told is not refused again.
            expect(waitForNext(record, at + wait_ms).wait_ms).toBe(0);
            continue;
          }
          record = nextCode(record, "hash", at);
          sent.push(at);
        }
        for (const [place, when] of sent.entries())
          if (place > 0) expect(when - (sent[place - 1] ?? 0)).toBeGreaterThanOrEqual(60_000);
        const days = Map.groupBy(sent, (when) => Math.floor(when / day));
        for (const each of days.values()) expect(each.length).toBeLessThanOrEqual(10);
      }),
      { seed: 16 },
    );
  });
});
