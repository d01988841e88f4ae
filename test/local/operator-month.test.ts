/** `operator month` as an operator runs it on a stand-in of DynamoDB: what it refuses, shows, verifies and exports. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMonthCloses } from "#shared/edges/store/closes.ts";
import { closedWith } from "#test/support/closed-months.ts";
import { tables } from "#test/support/dynamodb.ts";
import { arns, useOperatedSecrets } from "#test/support/operated-secrets.ts";

const operated = useOperatedSecrets();
const folder = mkdtempSync(join(tmpdir(), "month-"));
afterAll(() => rmSync(folder, { recursive: true }));

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const january = { month: "2026-01", counts_until: day("2026-02-03") };
const balance = { organization: "org_1", wallet: "7", receivable: "0", charged: "3", late: 0 };

beforeAll(async () => {
  operated.values.set(arns.pepper, "a pepper");
  const closes = createMonthCloses(operated.aws, tables);
  const first = closedWith(january, []);
  await closes.write(first, [], undefined);
  // No entry of the ledger says so.
  const february = { month: "2026-02", counts_until: day("2026-03-03"), previous: january };
  await closes.write(closedWith(february, [balance], first), [balance], first);
});

describe("a closed month", () => {
  test("is listed and shown with its hash", async () => {
    const { value } = await operated.operate("month list");
    expect(value).toMatchObject([
      { month: "2026-02" },
      { month: "2026-01", closed_by: "ops", accepted: null },
    ]);
    const { value: shown } = await operated.operate("month show 2026-01");
    expect(shown).toMatchObject({ month: "2026-01", sha256: value[1].sha256, signature: expect.any(String) });
    expect((await operated.look("month show 2026-01")).out).toContain(`sha256: ${value[1].sha256}`);
  });

  test("is verified, and ends with 1 where the ledger says something else", async () => {
    expect(await operated.operate("month verify 2026-01")).toMatchObject({
      code: 0,
      value: { ok: true, signed_by: "current pepper" },
    });
    const { code, value } = await operated.operate("month verify 2026-02");
    expect([code, value.faults]).toEqual([1, ["the ledger's balances are others than the closed ones"]]);
  });

  test("is exported as CSV, JSON and Parquet, where it is as it was closed", async () => {
    const { out } = await operated.look("month export 2026-01 --rows balances");
    expect(out).toBe("\uFEFForganization,wallet,receivable,charged,late\r\n");
    expect(await operated.operate("month export 2026-01")).toMatchObject({ code: 0, value: [] });
    const file = join(folder, "january.parquet");
    expect(await operated.operate(`month export 2026-01 --parquet ${file}`)).toMatchObject({
      value: { file, rows: 0 },
    });
    const bytes = readFileSync(file);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    expect(await parquetReadObjects({ file: buffer })).toEqual([]);
    const refused = await operated.look("month export 2026-02");
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.error).toContain("nothing was exported: run operator audit");
  });
});

test.each([
  ["month check 2026-13", "MONTH takes a month such as 2026-11"],
  ["month close november", "MONTH takes a month such as 2026-11"],
  ["month show 2026-12", "2026-12 is not closed"],
  ["month verify 2025-12", "2025-12 is not closed"],
  ["month close 2026-03 --accept bills_are_explained", "--accept and --reason go together"],
  ["month close 2026-03 --reason late", "--accept and --reason go together"],
  [
    "month close 2026-03 --accept audit_is_clean --reason late",
    "--accept takes nothing_is_on_its_way, orders_are_settled, invoices_are_issued, bills_are_explained, with commas between",
  ],
  ["month close", "give the month, such as 2026-11"],
])("%s is refused", async (line, why) => {
  const { code, out, error } = await operated.look(line);
  expect([code, out]).toEqual([2, ""]);
  expect(error).toContain(why);
});
