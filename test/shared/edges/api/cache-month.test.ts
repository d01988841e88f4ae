/** `GET /api/v1/cache`: whose sums a key sees, and how the bound of its audits is told. */
import { expect, test } from "vitest";
import type { Principal } from "#shared/books/accounts/account.ts";
import { type CacheMonth, emptyMonth } from "#shared/calls/cache/statistics.ts";
import { showCacheMonth } from "#shared/edges/api/cache-month.ts";
import { noon } from "#test/support/store.ts";

/** What a key of this project is shown of these sums, and whose sums were read. */
async function shown(project: string, sums: Partial<CacheMonth> = {}, query = "") {
  const read: unknown[] = [];
  const statistics = {
    add: async () => {},
    async read(...asked: unknown[]) {
      read.push(...asked);
      return { ...emptyMonth, ...sums };
    },
  };
  const principal = { key: { project }, organization: { id: "org_1" } } as Principal;
  const request = { query: new URLSearchParams(query), received_at: noon };
  const { body } = await showCacheMonth(request, principal, { semantic: async () => ({ statistics }) });
  return { read, told: JSON.parse(String(body)) as Record<string, unknown> & { semantic: object } };
}

test("a key of a project sees the sums of its project, and any other those of the organization", async () => {
  expect(await shown("one")).toMatchObject({ read: ["org_1", "one", noon], told: { project: "one" } });
  expect(await shown("")).toMatchObject({ read: ["org_1", undefined, noon], told: { project: null } });
});

test("the month, hits by level, and what they saved", async () => {
  const { told } = await shown("", {
    exact: 3,
    canonical: 2,
    semantic: 1,
    saved_points: 1_250_000_000_000_000n,
  });
  expect(told).toMatchObject({
    month: new Date(noon).toISOString().slice(0, 7),
    hits: { exact: 3, canonical: 2, semantic: 1 },
    saved_points: "0.00125",
  });
});

test.each([
  [0, 0, null],
  [149, 0, 0.02],
  [235, 1, 0.02],
  [0, 1, 1],
])(
  "of %i audits that agreed and %i that did not, at most so many hits are wrong: %s",
  async (agreed, refuted, share) => {
    const { told } = await shown("", {
      agreed,
      refuted,
      lookups: 500,
      candidates: 300,
      confirmed: 200,
      denied: 9,
    });
    expect(told.semantic).toMatchObject({
      ...{
        lookups: 500,
        candidates: 300,
        judged: { confirmed: 200, denied: 9 },
        audited: { agreed, refuted },
      },
      wrong_share_below: share,
    });
  },
);

test("a query parameter is refused", async () => {
  await expect(shown("", {}, "month=2026-10")).rejects.toMatchObject({ key: "invalid_request" });
});
