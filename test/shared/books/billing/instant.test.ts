/** RFC 3339, strictly (billing.md §2.11 and fault 24). */
import { describe, expect, test } from "vitest";
import type { KeyRecord } from "#shared/books/accounts/account.ts";
import { instant, rfc3339 } from "#shared/books/billing/instant.ts";
import { keyObject } from "#shared/edges/api/keys.ts";

describe("instants that are read", () => {
  test.each([
    ["2026-11-21T10:17:23Z", "2026-11-21T10:17:23.000Z"],
    ["2026-11-21t10:17:23.4z", "2026-11-21T10:17:23.400Z"],
    ["2026-11-21T10:17:23.456789Z", "2026-11-21T10:17:23.456Z"],
    ["2026-11-21T10:17:23+08:00", "2026-11-21T02:17:23.000Z"],
    ["2026-11-21T00:30:00-00:45", "2026-11-21T01:15:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(new Date(instant(text) ?? Number.NaN).toISOString()).toBe(expected);
  });
});

describe("what is no instant", () => {
  test.each([
    "",
    "2026-11-21",
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-11-21T24:00:00Z",
    "2026-11-21T10:60:00Z",
    "2026-11-21T10:00:60Z",
    "2026-11-21T10:17:23",
    "2026-11-21T10:17:23+24:00",
    "2026-11-21T10:17:23.Z",
    "1763720243",
    " 2026-11-21T10:17:23Z",
  ])("%j", (text) => {
    expect(instant(text)).toBeUndefined();
  });
});

describe("instants that are told", () => {
  test.each([
    ["2026-11-21T10:17:23.456+08:00", "2026-11-21T02:17:23.456Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
    ["9999-12-31T23:59:60Z", "9999-12-31T00:01:00.000-23:59"],
    ["9999-12-31T23:59:59.999-23:59", "9999-12-31T23:59:59.999-23:59"],
    ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"],
    ["0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00.000+23:59"],
  ])("%s is told as %s, and read again as the same", (text, expected) => {
    const at = instant(text) ?? Number.NaN;
    expect(rfc3339(at)).toBe(expected);
    expect(instant(rfc3339(at))).toBe(at);
  });

  test("so is the end of a key", () => {
    const expires_at = instant("9999-12-31T23:30:00-05:00") ?? null;
    expect(keyObject({ created_at: 0, expires_at } as KeyRecord, 0)).toMatchObject({
      created_at: "1970-01-01T00:00:00.000Z",
      expires_at: "9999-12-31T04:31:00.000-23:59",
    });
  });
});
