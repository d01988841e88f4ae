/** What the console's routes of usage refuse: wrong parameters, and what would take too much to read or to show. */
import { describe, expect, test } from "vitest";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import { eventAt, openBooks } from "#test/support/books.ts";
import { useStores } from "#test/support/stores.ts";
import { askConsole, organizationOf } from "#test/support/usage-console.ts";

const { db } = useStores();

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.parse("2026-11-21T12:30:00Z");

describe("what is asked wrongly", () => {
  const asker = { organization: organizationOf(newId("organization", now)), at: now };
  const ask = (query: string) => askConsole(db, `/api/v1/usage/series?${query}`, asker);
  const range = (length: number) =>
    `from=${new Date(now - length).toISOString()}&to=${new Date(now).toISOString()}`;

  test("is told all at once", async () => {
    const answer = await ask("from=yesterday&by=day&step=week&key=1&model=&project=%23&page=2");
    expect(answer.json()).toMatchObject({ error: { code: 40000 } });
    for (const name of ["from", "to", "by", "step", "key", "model", "project", "page"])
      expect(answer.text).toContain(`\`${name}\``);
  });

  test.each([
    ["period=year", 40002],
    ["period=", 40002],
    ["period=today&from=2026-01-01T00:00:00Z", 40000],
    ["from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z", 40000],
    ["", 40000],
    ["period=today&by=tag:", 40000],
    ["period=today&by=tag:Team", 40000],
  ])("%s is %i", async (query, code) => {
    const answer = await ask(query);
    expect([answer.status, answer.json()]).toMatchObject([400, { error: { code } }]);
  });

  test.each([
    ["by=model&step=day", 366],
    ["by=key&step=month", 366],
    ["by=key&step=hour", 31],
    ["by=user&step=day", 31],
    ["by=tag:team&step=day", 31],
  ])("%s has %i days at most", async (query, days) => {
    expect((await ask(`${range(days * day)}&${query}`)).status).toBe(200);
    const refused = await ask(`${range(days * day + 1)}&${query}`);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`${days} days`)]);
  });

  test("is the same for the file", async () => {
    const answer = await askConsole(db, "/api/v1/usage/export?by=day&period=today", asker);
    expect([answer.status, answer.json()]).toMatchObject([400, { error: { code: 40000 } }]);
    expect(answer.headers["content-type"]).toBe("application/json");
  });
});

describe("what would be too much", () => {
  type Bound = "seriesPointsMax" | "seriesRollupsMax" | "seriesEntriesMax";

  /** Asks for three hours with a call of two keys each, where a bound is so low. */
  async function bounded(bound: Bound, most: number, query: string) {
    const books = await openBooks(db, [], now - day);
    const keys = [newId("key", now), newId("key", now)];
    const events = [0, 1, 2].flatMap((at) =>
      keys.map((key) => eventAt(books.organization, now - at * hour, { key, user: key })),
    );
    await books.post(events, now);
    const asker = { organization: organizationOf(books.organization), at: now };
    const bounds = consoleLimits as Record<Bound, number>;
    const usual = bounds[bound];
    try {
      bounds[bound] = most;
      const range = "from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";
      return await askConsole(db, `/api/v1/usage/series?${range}&${query}`, asker);
    } finally {
      bounds[bound] = usual;
    }
  }

  test.each<[Bound, number, string, string]>([
    ["seriesPointsMax", 3, "by=model&step=hour", "3 groups"],
    ["seriesRollupsMax", 6, "by=model&step=day", "6 sums"],
    ["seriesEntriesMax", 6, "by=user&step=day", "6 calls"],
    ["seriesEntriesMax", 6, "by=tag:team&step=day", "6 calls"],
  ])("with %s at %i %s is whole, and one more is refused, not cut off", async (bound, most, query, said) => {
    const whole = await bounded(bound, most, query);
    expect([whole.status, whole.json()]).toMatchObject([200, { totals: { calls: 6 } }]);
    const refused = await bounded(bound, most - 1, query);
    expect([refused.status, refused.json()]).toMatchObject([400, { error: { code: 40000 } }]);
    expect(refused.text).toContain(said.replace(String(most), String(most - 1)));
  });
});
