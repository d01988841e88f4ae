/** Receipts over the real stores: what a number was made of, who may see it, and what corrected it. */
import { beforeAll, describe, expect, test } from "vitest";
import { GatewayError } from "#shared/base/errors.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Hold } from "#shared/books/meters/hold.ts";
import { callObject, settledReceipt } from "#shared/books/reports/receipt.ts";
import { retrieveReceipt } from "#shared/edges/api/receipts.ts";
import { byTotal, perSecond, tokens } from "#test/support/prices.ts";
import {
  eventOf,
  intentOf,
  noon,
  openWallet,
  planHold,
  planLimits,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";
import { entryOf } from "#test/support/traces.ts";

const { db, ledger, meters, replays, refusedCalls } = useStores();
let hold: Hold;

beforeAll(async () => {
  hold = walletHold(await openWallet(db, "10"), "1");
});

type Receipt = Record<string, unknown> & { lines: { points: string }[] };

async function receipt(id: string, organization = "org_1", project = ""): Promise<Receipt> {
  const caller = {
    organization: { id: organization } as Organization,
    key: { project } as KeyRecord,
  };
  const reply = await retrieveReceipt(id, caller, { ledger, meters, replays, refusedCalls });
  return JSON.parse(String(reply.body)) as Receipt;
}

const sumOf = ({ lines }: Receipt) => lines.reduce((sum, { points }) => sum + parsePoints(points), 0n);

/** Records one event of its own, changed as given. */
async function recorded(change: Partial<UsageEvent>, cost = "0.01301"): Promise<UsageEvent> {
  const event = eventOf({ ...hold, request: newId("request", noon) }, cost, change);
  await ledger.record([event]);
  return event;
}

describe("a receipt", () => {
  test("says everything the number was made of", async () => {
    const price = pinPrice(byTotal, "1");
    const event = await recorded({
      usage: tokens(3000, 1001),
      price,
      user: "someone",
      tags: "feature=rag,team=search",
      flags: ["overrun"],
    });
    expect(await receipt(event.id)).toEqual({
      id: event.id,
      object: "request",
      status: "settled",
      created_at: "2026-11-21T12:30:00.000Z",
      ended_at: "2026-11-21T12:30:01.000Z",
      kind: "chat",
      model: "acme/Sonic-1-5",
      project_id: "",
      key_id: hold.key,
      user: "someone",
      tags: { feature: "rag", team: "search" },
      billing_mode: "payg",
      outcome: "completed",
      error: null,
      provider: "acme",
      attempts: 1,
      route: null,
      flags: ["overrun"],
      evidence: "reported",
      usage: tokens(3000, 1001),
      calls: 1,
      ways: [],
      tiers: [
        expect.objectContaining({ side: "input", tokens: 4001, from: 0, up_to: 8000 }),
        expect.objectContaining({ side: "output", tokens: 4001, from: 4001, up_to: 200_000 }),
      ],
      lines: [
        { dimension: "input_tokens", quantity: 3000, unit_price: "1", per: 1_000_000, points: "0.003" },
        { dimension: "output_tokens", quantity: 1001, unit_price: "10", per: 1_000_000, points: "0.01001" },
      ],
      list_points: "0.01301",
      cost_points: "0.01301",
      price: { version: price.version, ...byTotal },
      discount_rate: "1",
      reason: "The sum of the lines: quantity × unit price / per × discount rate.",
      correction: null,
      entries: [
        {
          id: event.id,
          kind: "usage",
          points: "0.01301",
          at: "2026-11-21T12:30:00.000Z",
          debit: "customer:org_1",
          credit: "revenue:acme/Sonic-1-5",
        },
      ],
    });
  });

  test("tells how the call found its channel, and not which of a provider's channels it was", async () => {
    const attempts = [
      { provider: "other", channel: "d4e5f6", outcome: "limited", ms: 31 },
      { provider: "acme", channel: "a1b2c3", outcome: "answered", ms: 812 },
    ] as const;
    const told = { routing: "smart", why: "failover", of: 3 } as const;
    const event = await recorded({
      attempts: 2,
      route: { ...told, attempts: [...attempts], generation_ms: 90 },
    });
    // A ledger in memory keeps the event as it was. The receipt is the same.
    for (const shown of [await receipt(event.id), settledReceipt([entryOf(event)])])
      expect(shown).toHaveProperty("route", {
        ...told,
        attempts: [
          { provider: "other", outcome: "limited", ms: 31 },
          { provider: "acme", outcome: "answered", ms: 812 },
        ],
      });
  });

  test("tells which model answered in place of the one that was asked for", async () => {
    const requested_model = "test/model-0";
    const attempts = [
      { provider: "other", channel: "d4e5f6", outcome: "fault", ms: 31, model: requested_model },
      { provider: "acme", channel: "a1b2c3", outcome: "answered", ms: 812 },
    ] as const;
    const told = { routing: "basic", why: "fallback", of: 1 } as const;
    const event = await recorded({
      attempts: 2,
      requested_model,
      route: { ...told, attempts: [...attempts] },
    });
    for (const shown of [await receipt(event.id), settledReceipt([entryOf(event)])]) {
      expect(shown).toMatchObject({ model: event.model, requested_model });
      expect(shown).toHaveProperty("route", {
        ...told,
        attempts: [
          { model: requested_model, provider: "other", outcome: "fault", ms: 31 },
          { provider: "acme", outcome: "answered", ms: 812 },
        ],
      });
    }
    expect(callObject(event, false)).toMatchObject({ model: event.model, requested_model });
    expect(await receipt((await recorded({})).id)).not.toHaveProperty("requested_model");
  });

  test("of a subscription's call costs nothing and shows its value and its call", async () => {
    const usage = tokens(1000, 500);
    const event = await recorded({ usage, mode: "subscription", cost_points: "0", list_points: "0.0075" });
    const shown = await receipt(event.id);
    expect(shown).toMatchObject({ cost_points: "0", list_points: "0.0075", calls: 1 });
    expect(sumOf(shown)).toBe(parsePoints("0.0075"));
    expect(shown.reason).toMatch(/one call of the subscription/);
  });

  test("of a call that was given back has no lines, whatever was counted", async () => {
    const event = await recorded({ usage: tokens(10), list_points: "0", calls: 0, flags: ["empty"] }, "0");
    expect(await receipt(event.id)).toMatchObject({ lines: [], list_points: "0", calls: 0, tiers: [] });
  });

  test.each([
    ["estimated", /^The sum of the lines.* quantities are estimated/],
    ["none", /^The call's usage is unknown/],
  ] as const)(
    "says so where the evidence is %s, also when the charge is the sum",
    async (evidence, reason) => {
      const event = await recorded({ usage: tokens(1000, 500), evidence }, "0.0075");
      const shown = await receipt(event.id);
      expect(shown).toMatchObject({ evidence, list_points: "0.0075", cost_points: "0.0075" });
      expect(shown.reason).toMatch(reason);
    },
  );

  test("of a video task, by the second of its resolution", async () => {
    const event = await recorded({
      id: newId("task", noon),
      kind: "video",
      usage: { ...noUsage, video_seconds: 5 },
      price: pinPrice(perSecond, "1"),
      resolution: "720p",
    });
    const line = { dimension: "video_seconds", quantity: 5, unit_price: "0.25", per: 1, points: "1.25" };
    expect(await receipt(event.id)).toMatchObject({ resolution: "720p", lines: [line] });
  });

  test("shows the guess, the truth and the difference where one was corrected", async () => {
    const wallet = walletHold(await openWallet(db, "10"), "1");
    await meters.admit(wallet);
    const real = eventOf(wallet, "0.0075", { usage: tokens(1000, 500) });
    const guess = { usage: tokens(100), evidence: "none", source: "sweeper" } as const;
    await ledger.record([{ ...real, ...guess, cost_points: "0.0001", list_points: "0.00025" }]);
    const estimated = await receipt(wallet.request);
    expect(estimated).toMatchObject({ cost_points: "0.0001", list_points: "0.00025", evidence: "none" });
    expect(estimated.reason).toMatch(/no more than was held/);
    expect(await ledger.record([real])).toEqual(["corrected"]);
    const shown = await receipt(wallet.request);
    expect(shown).toMatchObject({
      cost_points: "0.0075",
      evidence: "reported",
      correction: { estimate: { cost_points: "0.0001", usage: tokens(100) }, difference_points: "0.0074" },
      entries: [
        { kind: "usage", points: "0.0001" },
        { id: `${wallet.request}#adj`, kind: "adjustment", points: "0.0074" },
      ],
    });
    expect(sumOf(shown)).toBe(parsePoints("0.0075"));
  });

  test("is pending from the intent until the event has arrived", async () => {
    const call = { ...hold, request: newId("request", noon) };
    await meters.intend({ ...intentOf(call), user: "someone" });
    expect(await receipt(call.request)).toMatchObject({
      id: call.request,
      status: "pending",
      created_at: "2026-11-21T12:30:00.000Z",
      model: "acme/Sonic-1-5",
      user: "someone",
      held_points: "1",
      entries: [],
    });
    await ledger.record([eventOf(call, "0.000075")]);
    expect(await receipt(call.request)).toMatchObject({ status: "settled", cost_points: "0.000075" });
  });
});

test("a call that gave way to the one with its idempotency key says which one that is", async () => {
  const scope = newId("request", noon);
  const [first, twin] = [newId("request", noon), newId("request", noon)];
  await replays.claim(scope, { request: first, fingerprint: "f", state: "running" }, noon);
  for (const request of [first, twin]) await meters.intend({ ...intentOf({ ...hold, request }), scope });
  expect(await receipt(first)).toMatchObject({ status: "pending", id: first });
  expect(await receipt(twin)).toMatchObject({
    id: twin,
    status: "repeated",
    repeats: first,
    cost_points: "0",
    entries: [],
  });
});

describe("who may see one", () => {
  const refused = async (...asked: Parameters<typeof receipt>) => {
    const error = await receipt(...asked).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GatewayError);
    return { key: (error as GatewayError).key, detail: (error as GatewayError).detail };
  };
  const alike = { key: "not_found", detail: {} };

  test("a key of the organization or of the project, and nobody else", async () => {
    const { id } = await recorded({ project: "blue", usage: tokens(1) });
    expect((await receipt(id)).id).toBe(id);
    expect((await receipt(id, "org_1", "blue")).id).toBe(id);
    expect(await refused(id, "org_1", "red")).toEqual(alike);
    expect(await refused(id, "org_2")).toEqual(alike);
  });

  test("the same while it is pending", async () => {
    const call = planHold("mtr_1", planLimits());
    await meters.intend({ ...intentOf(call), project: "blue" });
    expect((await receipt(call.request, "org_1", "blue")).status).toBe("pending");
    expect(await refused(call.request, "org_1", "red")).toEqual(alike);
    expect(await refused(call.request, "org_2")).toEqual(alike);
  });

  test.each([
    ["unknown", () => newId("request", noon)],
    ["of another kind", () => newId("key", noon)],
    ["malformed", () => "req_1"],
    ["too late for any clock", () => `req_${"Z".repeat(26)}`],
    ["longer than an id", () => `${newId("request", noon)}#adj`],
    ["empty of time", () => "req_"],
  ])("nobody one whose id is %s", async (_, id) => {
    expect(await refused(id())).toEqual(alike);
  });

  test("nobody a call's by the name of a task", async () => {
    const { id } = await recorded({ usage: tokens(1) });
    expect(await refused(id.replace("req_", "VTK-"))).toEqual(alike);
  });
});
