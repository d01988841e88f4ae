/** An audit that is broken off at any entry, and goes on from its file: it finds what an uninterrupted one finds. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openPlace } from "#infra/operator/audit-place.ts";
import { type AuditDeps, look } from "#shared/edges/audit/audit.ts";
import type { KeptEntry } from "#shared/edges/audit/kept.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { type KeptBooks, keptBooks } from "#test/support/kept-books.ts";
import { eventOf, walletHold } from "#test/support/store.ts";

const folder = mkdtempSync(join(tmpdir(), "audit-place-"));
const file = join(folder, "audit.place");
const subject = { books: "ledger queue", since: null };
let books: KeptBooks;

beforeAll(async () => {
  books = await keptBooks();
  // More hours than are compared at once.
  const { db, deps, now } = books;
  const [owner] = await Array.fromAsync(deps.accounts.organizations());
  const { id: organization = "", wallet } = owner ?? {};
  const events = Array.from({ length: 24 }, (_, hour) =>
    eventOf(walletHold(wallet?.meter ?? "", "1", now - hour * 3_600_000), "0.1", { organization }),
  );
  await createLedger(awsOverMemory(db), db.tables, () => now).record(events);
  // Something to find, which must be found once.
  const entry = books.db.items("ledger").find(({ pk, sk }) => /^L#\S+#2/.test(`${pk?.S}`) && sk);
  books.db.act("PutItem", { TableName: "ledger", Item: { ...entry, points: { S: "7" } } });
});
beforeEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(folder, { recursive: true }));

class Killed extends Error {}

/** A look that keeps its place at every hour, and is killed before it reads entry number `last`. */
async function lookWithPlace(since: string | undefined, last = Infinity) {
  let now = 0;
  const place = openPlace(file, { ...subject, since: since ?? null }, () => (now += 10_000));
  let read = 0;
  const until = async function* <Item extends KeptEntry>(entries: AsyncIterable<Item>) {
    for await (const entry of entries) {
      if (++read > last) throw new Killed();
      yield entry;
    }
  };
  const { kept } = books.deps;
  const deps: AuditDeps = {
    ...books.deps,
    kept: {
      ...kept,
      entries: (...from) => until(kept.entries(...from)),
      // The look after the walk reads credits again, and is not what is killed here.
      entriesOf: (organization, hour) =>
        place.walked.isDone ? kept.entriesOf(organization, hour) : until(kept.entriesOf(organization, hour)),
    },
    walking: { ...(since !== undefined && { since }), walked: place.walked, onHours: place.keep },
  };
  const { invariants } = await look(deps);
  return { invariants, read };
}

describe.each([undefined, "2026-11-20T10"])("a walk since %s", (since) => {
  test("that is killed at any entry goes on, and ends as if nothing had been", async () => {
    const whole = await lookWithPlace(since);
    expect(whole.invariants.filter(({ holds }) => !holds).length).toBeGreaterThan(0);
    expect(whole.read).toBeGreaterThan(10);
    let fewest = whole.read;
    for (let last = 0; last < whole.read; last += 4) {
      rmSync(file, { force: true });
      await expect(lookWithPlace(since, last)).rejects.toThrow(Killed);
      const rest = await lookWithPlace(since);
      expect(rest.invariants).toEqual(whole.invariants);
      // The entries of the hours in which it was killed are read again.
      expect(rest.read).toBeLessThanOrEqual(whole.read);
      fewest = Math.min(fewest, rest.read);
    }
    expect(fewest).toBeLessThan(whole.read);
  });
});

test("the place of a walk that is done is kept until the audit has ended", async () => {
  await lookWithPlace(undefined);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ walked: { isDone: true } });
  expect((await lookWithPlace(undefined)).read).toBe(0);
  openPlace(file, subject).remove();
  expect(existsSync(file)).toBe(false);
});

test("a file that is of no audit, or of another one, is refused and stays as it is", () => {
  const walked = { gaps: {}, entries: 0, compared: {}, prices: [], places: [], isDone: false };
  const texts: [string, RegExp][] = [
    ["{", /is not the place of an audit/],
    ["null", /is not the place of an audit/],
    [JSON.stringify({ format: "audit-0", ...subject, walked }), /is not the place of an audit/],
    [JSON.stringify({ format: "audit-1", ...subject }), /is not the place of an audit/],
    [
      JSON.stringify({ format: "audit-1", ...subject, books: "others", walked }),
      /of an audit of other books/,
    ],
    [
      JSON.stringify({ format: "audit-1", ...subject, since: "2026-11-20T10", walked }),
      /since 2026-11-20T10/,
    ],
  ];
  for (const [text, why] of texts) {
    writeFileSync(file, text);
    expect(() => openPlace(file, subject)).toThrow(why);
    expect(readFileSync(file, "utf8")).toBe(text);
  }
});

test("a place is written every two seconds at most", () => {
  let now = 0;
  const place = openPlace(file, subject, () => now);
  now = 1_999;
  place.keep(place.walked);
  expect(existsSync(file)).toBe(false);
  now = 2_000;
  place.keep({ ...place.walked, entries: 5 });
  expect(openPlace(file, subject).walked.entries).toBe(5);
});
