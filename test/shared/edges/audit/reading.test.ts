/** What an audit reads of the ledger: all of it once for its entries, and with `since` only what is new, and sums. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { type AuditDeps, look } from "#shared/edges/audit/audit.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { sealSort } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import { type KeptBooks, keptBooks } from "#test/support/kept-books.ts";

let books: KeptBooks;

beforeAll(async () => {
  books = await keptBooks();
});

/** A look at the books, and how often it scans the ledger, asks for a partition of it, and reads each seal. */
async function counted(walking: { since?: string }) {
  const { db } = books;
  const count = { scans: 0, entries: 0, rollups: 0 };
  const seals = new Map<string, number>();
  const aws: Aws = (service, action, input, delivery) => {
    const {
      TableName,
      Key,
      ExpressionAttributeValues: of,
    } = input as {
      TableName?: string;
      Key?: { pk: { S: string }; sk: { S: string } };
      ExpressionAttributeValues?: Record<string, { S?: string }>;
    };
    if (TableName === "ledger" && action === "Scan") count.scans += 1;
    if (action === "GetItem" && Key?.sk.S === sealSort) seals.set(Key.pk.S, (seals.get(Key.pk.S) ?? 0) + 1);
    if (of?.[":pk"]?.S?.startsWith("L#")) count.entries += 1;
    if (of?.[":pk"]?.S?.startsWith("R#")) count.rollups += 1;
    return awsOverMemory(db)(service, action, input, delivery);
  };
  const { tables } = db;
  const deps: AuditDeps = {
    ...books.deps,
    accounts: createAccounts(aws, tables),
    meters: createMeters(aws, tables),
    ledger: createLedger(aws, tables),
    // All hours are long over by then.
    kept: createKeptBooks(aws, tables, () => books.now + 86_400_000),
    tasks: createTasks(aws, tables),
    walking,
  };
  const { findings } = await look(deps);
  return { ...count, seals, wrong: findings.filter(({ gaps }) => gaps.length > 0).map(({ name }) => name) };
}

describe("a look", () => {
  test("scans the ledger once", async () => {
    const { scans, wrong } = await counted({});
    expect({ scans, wrong }).toEqual({ scans: 1, wrong: [] });
  });

  test("reads a seal once for hours that are long over, once for all sums, once for what they are, and once for payments", async () => {
    const { seals } = await counted({});
    expect(seals.size).toBeGreaterThan(1);
    for (const [place, times] of seals) expect(times, place).toBeLessThanOrEqual(place.endsWith("#") ? 4 : 1);
  });

  test("since an hour scans nothing of the ledger", async () => {
    const { scans, entries, rollups, wrong } = await counted({ since: "2026-12-01T00" });
    expect({ scans, wrong }).toEqual({ scans: 0, wrong: [] });
    expect(entries).toBeLessThan(20);
    expect(rollups).toBeGreaterThan(0);
  });

  test("finds rollups of an organization and of a project that nothing else names", async () => {
    const rollup: Item = books.db.items("ledger").find(({ sk }) => sk?.S?.startsWith("H#")) ?? {};
    for (const place of ["org_9#", `${rollup.pk?.S?.split("#")[1]}#elsewhere`]) {
      const stray: Item = { ...rollup, pk: { S: `R#${place}` } };
      books.db.act("PutItem", { TableName: "ledger", Item: stray });
      expect((await counted({})).wrong).toContain("rollups_match_entries");
      books.db.act("DeleteItem", { TableName: "ledger", Key: { pk: stray.pk, sk: stray.sk } });
    }
    expect((await counted({})).wrong).toEqual([]);
  });

  test("since an hour finds what differs in sums of any time", async () => {
    const rollup = books.db.items("ledger").find(({ sk }) => sk?.S?.startsWith("D#")) ?? {};
    books.db.act("PutItem", { TableName: "ledger", Item: { ...rollup, n: { N: "77" } } });
    expect((await counted({ since: "2026-12-01T00" })).wrong).toEqual([
      "days_match_hours",
      "months_match_days",
    ]);
    books.db.act("PutItem", { TableName: "ledger", Item: rollup });
  });
});
