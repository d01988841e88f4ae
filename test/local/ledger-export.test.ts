/** The ledger's export, as an operator gets it from a local gateway: exact, in order, and safe to open. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { timeOf } from "#shared/base/platform/id.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { csvRow } from "#shared/books/reports/csv.ts";
import { exportLines } from "#shared/books/reports/export-line.ts";
import { focusForm } from "#shared/books/reports/focus-form.ts";
import { exportLedger } from "#shared/edges/operator/ledger-export.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import {
  catalogAt,
  completion,
  cost,
  customer,
  expectCleanAudit,
  post,
  providerKey,
  walletOf,
} from "#test/support/money.ts";
import { seeded } from "#test/support/random.ts";
import { eventOf, walletHold } from "#test/support/store.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

type Line = Record<string, string | number | null>;

let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.json(completion);
  gateway = await startLocal({
    catalog: { ...(catalogAt(upstream.url) as object), issuer: "Acme" },
    env: providerKey,
  });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

const operatorEntry = "infra/operator/main.ts";
const day = 86_400_000;
const iso = (at: number) => new Date(at).toISOString();

async function exported(from: number, to: number, ...more: string[]): Promise<Line[]> {
  const { value, code, error } = await operator(
    gateway,
    "ledger",
    "export",
    "--from",
    iso(from),
    "--to",
    iso(to),
    ...more,
  );
  expect([code, error]).toEqual([0, ""]);
  return value as unknown as Line[];
}

async function reportTotals(key: string, from: number, to: number): Promise<Record<string, unknown>> {
  const query = new URLSearchParams({ from: iso(from), to: iso(to) });
  const reply = await fetch(`${gateway.url}/api/business/v1/customer/usage?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await reply.json()) as { totals: Record<string, unknown> }).totals;
}

const count = (lines: Line[], column: string) => lines.reduce((sum, line) => sum + Number(line[column]), 0);
const points = (lines: Line[], column: string) =>
  formatPoints(lines.reduce((sum, line) => sum + parsePoints(String(line[column])), 0n));

const terms = { issuer: "Acme", currency: undefined };

/** What a report of these lines would say. */
function totalsOf(all: Line[]): Record<string, unknown> {
  const lines = all.filter((line) => line.ChargeCategory === "Usage");
  return {
    calls: count(lines, "x_Calls"),
    input_tokens: count(lines, "x_InputTokens"),
    output_tokens: count(lines, "x_OutputTokens"),
    cache_read_tokens: count(lines, "x_CacheReadTokens"),
    cache_write_tokens: count(lines, "x_CacheWriteTokens"),
    generated_images: count(lines, "x_GeneratedImages"),
    video_seconds: count(lines, "x_VideoSeconds"),
    cost_points: points(lines, "EffectiveCost"),
    list_points: points(lines, "ListCost"),
  };
}

/** Random events over five days, a third of them guessed at by the sweeper first and corrected later. */
async function recordRandomly(organization: string, meter: string, seed: number): Promise<number[]> {
  const random = seeded(seed);
  const { aws, tables } = connectLocally(gateway.readyFile);
  const ledger = createLedger(aws, tables);
  const times: number[] = [];
  const estimates: UsageEvent[] = [];
  const events: UsageEvent[] = [];
  for (let i = 0; i < 120; i++) {
    const at = Date.now() - 6 * day + random(5 * day);
    times.push(at);
    const event = eventOf(walletHold(meter, "1", at), `0.${random(1_000_000)}1`, {
      organization,
      model: `test/model-${random(3)}`,
      project: ["", "p-1"][random(2)] ?? "",
      usage: {
        input_tokens: random(1e6),
        output_tokens: random(1e4),
        cache_read_tokens: random(1e3),
        cache_write_tokens: random(10),
        generated_images: random(3),
        video_seconds: random(3),
      },
    });
    events.push(event);
    if (random(3) > 0) continue;
    const { usage, cost_points } = eventOf(walletHold(meter, "1", at), `0.${random(1_000_000)}1`);
    estimates.push({ ...event, usage, cost_points, list_points: cost_points, source: "sweeper" });
  }
  await ledger.record(estimates);
  expect((await ledger.record(events)).filter((each) => each === "corrected")).toHaveLength(estimates.length);
  return times;
}

describe("ledger export", () => {
  test("says of a call what there is to say", async () => {
    const { id, key } = await customer(gateway, { points: parsePoints("5") });
    const reply = await post(gateway.url, key);
    await reply.text();
    await expectCleanAudit(gateway);
    const lines = await exported(Date.now() - day, Date.now() + day, "--org", id);
    const common = {
      ...{ BillingAccountId: id, BillingAccountName: "Test", InvoiceIssuerName: "Acme" },
      ...{ ProviderName: "Acme", PublisherName: "test", x_UpstreamProvider: "test" },
      ...{ ChargeCategory: "Usage", ChargeClass: null, ServiceName: "Chat", BilledCost: "0", Tags: "{}" },
      ...{ ConsumedUnit: "Tokens", PricingUnit: "1000000 Tokens", x_PriceMode: "flat_tokens" },
      ...{ x_Evidence: "reported", x_RequestId: reply.headers.get("x-request-id") },
      ...{ x_Debit: `customer:${id}`, x_Credit: "revenue:test/model-1" },
    };
    expect(lines.filter((line) => line.x_Kind === "usage")).toMatchObject([
      {
        ...common,
        ...{ SkuId: "test/model-1/input_tokens", SkuMeter: "Input Tokens", ConsumedQuantity: "10" },
        ...{ PricingQuantity: "0.00001", ListUnitPrice: "2.5", ListCost: "0.000025" },
        ...{ EffectiveCost: "0.000025", x_Calls: 1, x_InputTokens: 10, x_OutputTokens: 4 },
      },
      {
        ...common,
        ...{ SkuId: "test/model-1/output_tokens", SkuMeter: "Output Tokens", ConsumedQuantity: "4" },
        ...{ PricingQuantity: "0.000004", ListUnitPrice: "10", ListCost: "0.00004" },
        ...{ EffectiveCost: "0.00004", x_Calls: 0, x_InputTokens: 0, x_OutputTokens: 0 },
      },
    ]);
    expect(parsePoints("0.000065")).toBe(cost);
    const [posted] = lines.flatMap((line) => (line.x_Kind === "usage" ? String(line.x_PostedAt) : []));
    expect(Math.abs(Date.parse(posted ?? "") - Date.now())).toBeLessThan(60_000);
  });

  test("any range adds up to the report of that range, corrections included", async () => {
    const { id, key } = await customer(gateway, { points: parsePoints("1000") });
    const times = await recordRandomly(id, await walletOf(gateway, id), 1);
    const random = seeded(2);
    const { aws, tables } = connectLocally(gateway.readyFile);
    const stores = {
      accounts: createAccounts(aws, tables),
      ledger: createLedger(aws, tables),
      seller: terms,
    };
    for (let i = 0; i < 30; i++) {
      // Every range begins or ends at an admission, to the millisecond.
      const ends = [times[random(times.length)] ?? 0, Date.now() - 7 * day + random(7 * day)];
      const [from = 0, to = 0] = ends.sort((a, b) => a - b);
      const lines = await Array.fromAsync(exportLedger({ from, to, organization: id }, stores));
      expect(totalsOf(lines), `${iso(from)} to ${iso(to)}`).toEqual(await reportTotals(key, from, to));
    }
  });

  test("is in order of time over all organizations, with each credit, and nothing else", async () => {
    const customers = [];
    for (const seed of [3, 4]) {
      const { id } = await customer(gateway, { points: parsePoints("5") });
      await recordRandomly(id, await walletOf(gateway, id), seed);
      customers.push(id);
    }
    const lines = await exported(Date.now() - 7 * day, Date.now() + day);
    const instants = lines.map((line) => String(line.ChargePeriodStart));
    expect(instants).toEqual(instants.toSorted());
    for (const id of customers) {
      const own = lines.filter((line) => line.BillingAccountId === id);
      expect(own).toEqual(await exported(Date.now() - 7 * day, Date.now() + day, "--org", id));
      const usage = own.filter((line) => line.x_Kind === "usage");
      expect(new Set(usage.map((line) => line.x_EntryId))).toHaveProperty("size", 120);
      expect(own.filter((line) => line.ChargeCategory === "Purchase")).toMatchObject([
        {
          ...{ x_Kind: "bought", BilledCost: "5", EffectiveCost: "0", x_WalletPoints: "5" },
          ...{ x_Reference: "opening", x_Debit: "cash:operator", x_Credit: `customer:${id}` },
        },
      ]);
      for (const line of own.filter((each) => each.x_RequestId !== null)) {
        const admitted = Math.floor(timeOf(String(line.x_RequestId)) / 1000) * 1000;
        expect(line.ChargePeriodStart).toBe(iso(admitted).replace(".000", ""));
      }
    }
  });

  test("has the discount in the list price, as the report has it, also of a correction", () => {
    const price = pinPrice({ mode: "per_image", unit_price: "0.2" }, "0.95");
    const of = (generated_images: number, calls: 0 | 1) =>
      eventOf(walletHold("mtr_1", "1"), "0", {
        kind: "image",
        usage: { ...noUsage, generated_images },
        price,
        calls,
        list_points: formatPoints(BigInt(calls * generated_images) * parsePoints("0.19")),
      });
    const lines = (event: UsageEvent, corrected: UsageEvent | null) => {
      const known = { id: event.id, kind: "usage", organization: "org_1", debit: "d", credit: "c" } as const;
      const entry = { ...known, points: "0", at: 0, event };
      return exportLines({ entry, corrected, account: "Acme" }, terms).map((each) => [
        each.PricingQuantity,
        each.ListUnitPrice,
        each.ListCost,
        each.ContractedCost,
        each.x_ListPoints,
      ]);
    };
    expect(lines(of(3, 1), null)).toEqual([["3", "0.19", "0.57", "0.57", "0.57"]]);
    expect(lines(of(3, 1), of(1, 1))).toEqual([
      ["-1", "0.19", "-0.19", "-0.19", "-0.19"],
      ["3", "0.19", "0.57", "0.57", "0.57"],
    ]);
    expect(lines(of(3, 0), null)).toEqual([["1", "0", "0", "0", "0"]]);
  });

  test("is CSV unless asked for JSON, and empty where nothing happened", async () => {
    const range = ["--from", "2020-01-01T00:00:00Z", "--to", "2020-01-02T00:00:00Z"];
    expect(await exported(Date.parse("2020-01-01"), Date.parse("2020-01-02"))).toEqual([]);
    const words = ["ledger", "export", ...range, "--local", "--ready-file", gateway.readyFile];
    const child = spawn(process.execPath, [operatorEntry, ...words]);
    let out = "";
    child.stdout.on("data", (data) => (out += String(data)));
    expect(await once(child, "close")).toEqual([0, null]);
    expect(out).toBe(`${focusForm("1.3").head}\r\n`);
  });

  test("quotes as RFC 4180 says, and never lets a client's text run as a formula", () => {
    const texts = [
      "=1+1",
      "+1",
      "-1+cmd",
      "@SUM(A1)",
      "\tx",
      "＝1",
      'a "b", c',
      "two\r\nlines",
      "-0.5",
      "plain",
    ];
    expect(texts.map((user) => csvRow([user]))).toEqual([
      "'=1+1",
      "'+1",
      "'-1+cmd",
      "'@SUM(A1)",
      "'\tx",
      "'＝1",
      '"a ""b"", c"',
      '"two\r\nlines"',
      "-0.5",
      "plain",
    ]);
  });

  test("ends without an error for a reader that has read enough, as `head` has", async () => {
    const range = ["--from", iso(0), "--to", iso(Date.now())];
    const words = ["ledger", "export", "--local", "--ready-file", gateway.readyFile];
    const child = spawn(process.execPath, [operatorEntry, ...words, ...range]);
    child.stdout.destroy();
    let complaint = "";
    child.stderr.on("data", (data) => (complaint += String(data)));
    expect([(await once(child, "close"))[0], complaint]).toEqual([0, ""]);
  });

  test.each([
    [["--to", "2026-01-01T00:00:00Z"], "--from is needed"],
    [["--from", "yesterday", "--to", "today"], "--from takes an instant such as 2026-11-21T00:00:00Z"],
    [["--from", "2026-01-02T00:00:00Z", "--to", "2026-01-01T00:00:00Z"], "--from is after --to"],
  ])("refuses %j", async (flags, reason) => {
    expect(await operator(gateway, "ledger", "export", ...flags)).toMatchObject({
      code: 2,
      error: `${reason}\n`,
    });
  });
});
