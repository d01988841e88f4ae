/** A series of usage by a tag: whose it is, and how its file is called. */
import { expect, test } from "vitest";
import { eventAt, openBooks } from "#test/support/books.ts";
import { useStores } from "#test/support/stores.ts";
import { type Asker, askConsole, organizationOf, storeKey } from "#test/support/usage-console.ts";

const { db } = useStores();

const hour = 3_600_000;
const now = Date.parse("2026-11-21T12:30:00Z");

interface Line {
  name: string | null;
  totals: { cost_points: string };
}

test("is by a tag, of the member's own keys alone, and its file is named so that every system takes it", async () => {
  const books = await openBooks(db, [], now - 24 * hour);
  const key = await storeKey(db, books.organization, { created_by: "usr_2" });
  const tags = { tags: "feature=rag,team=search" };
  await books.post(
    [
      eventAt(books.organization, now - hour, { key: key.id, ...tags }),
      eventAt(books.organization, now - 2, { key: key.id }),
      eventAt(books.organization, now - 1, tags),
    ],
    now,
  );
  const organization = organizationOf(books.organization);
  const ask = async (change: Partial<Asker> = {}) => {
    const path = "/api/v1/usage/series?period=today&by=tag:team";
    const { by, series } = (await askConsole(db, path, { organization, at: now, ...change })).json();
    return [by, series.map(({ name, totals }: Line) => [name, totals.cost_points])];
  };
  const line = (cost: string) => ["search", cost];
  expect(await ask()).toEqual(["tag:team", [line("1"), [null, "0.5"]]]);
  const member = { role: "member", user: "usr_2" } as const;
  expect(await ask(member)).toEqual(["tag:team", expect.arrayContaining([line("0.5"), [null, "0.5"]])]);
  const file = await askConsole(db, "/api/v1/usage/export?period=today&by=tag:team", {
    organization,
    at: now,
  });
  expect(file.headers["content-disposition"]).toMatch(
    /^attachment; filename="usage-by-tag-team-\d+-\d+\.csv"$/,
  );
  expect(file.text).toContain("tag:team,label,last_four,at");
});
