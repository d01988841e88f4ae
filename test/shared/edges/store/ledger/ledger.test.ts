/** The ledger on the embedded DynamoDB: every event once, and sums that equal their entries. */
import { describe, expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { hourOf, nextHour } from "#shared/books/billing/period.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { addSums, noSums, sumsOf } from "#shared/books/reports/report.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { counting, eventOf, expectSums, noon, repeating, walletHold } from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, meters } = useStores();
const ledger = createLedger(db.aws, db.tables, () => noon);

const hour = hourOf(noon);
const newOrganization = () => newId("organization", noon);
const key = newId("key", noon);
const event = (organization: string, cost: string, change: Partial<UsageEvent> = {}) =>
  eventOf(walletHold("mtr_1", cost, noon, key), cost, { organization, ...change });

describe("recording", () => {
  test("an event with half of a surrogate pair is booked like any other", async () => {
    const organization = newOrganization();
    const odd = event(organization, "0.1", { provider: "\ud800", flags: ["odd \udc00"] });
    expect(await ledger.record([odd])).toEqual(["recorded"]);
    expect((await ledger.entry(organization, odd.id))?.event).toMatchObject({ provider: "\ufffd" });
  });

  test("writes an entry and its sums, for the organization and the project", async () => {
    const organization = newOrganization();
    const usage = {
      ...noUsage,
      input_tokens: 7,
      cache_read_tokens: 11,
      generated_images: 2,
      video_seconds: 3,
    };
    const events = [
      event(organization, "0.1", { project: "alpha", usage }),
      event(organization, "0.20", { project: "beta" }),
      event(organization, "0.000000000000000003", { model: "acme/Other#1", calls: 0 }),
    ];
    expect(await ledger.record(events)).toEqual(["recorded", "recorded", "recorded"]);
    const first = await ledger.entry(organization, events[0]?.id ?? "");
    expect(first).toEqual({
      id: events[0]?.id,
      kind: "usage",
      organization,
      debit: `customer:${organization}`,
      credit: "revenue:acme/Sonic-1-5",
      points: "0.1",
      at: noon,
      posted_at: noon,
      event: events[0],
    });
    const totals = await ledger.rollups(organization, "", hour, nextHour(hour));
    expect(
      totals.map(({ model, owner, sums }) => [model, owner, sums.calls, formatPoints(sums.cost_points)]),
    ).toEqual([
      ["acme/Other#1", "", 0, "0.000000000000000003"],
      ["acme/Sonic-1-5", "alpha", 1, "0.1"],
      ["acme/Sonic-1-5", "beta", 1, "0.2"],
    ]);
    expect(await ledger.rollups(organization, "alpha", hour, nextHour(hour))).toEqual([
      {
        organization,
        project: "alpha",
        span: hour,
        model: "acme/Sonic-1-5",
        key,
        owner: "alpha",
        sums: sumsOf(events[0] as UsageEvent),
      },
    ]);
    for (const project of ["", "alpha", "beta"]) await expectSums(ledger, organization, project);
  });

  test("counts an event once, delivered together, again, and among new ones", async () => {
    const organization = newOrganization();
    const events = Array.from({ length: 5 }, (_, i) => event(organization, `0.${i + 1}`));
    const [first, second, third, fourth, fifth] = events as [
      UsageEvent,
      UsageEvent,
      UsageEvent,
      UsageEvent,
      UsageEvent,
    ];
    expect(await ledger.record([first, first, second])).toEqual(["recorded", "duplicate", "recorded"]);
    expect(await ledger.record([third, second, fourth, first, { ...fifth }, { ...fifth }])).toEqual([
      "recorded",
      "duplicate",
      "recorded",
      "duplicate",
      "recorded",
      "duplicate",
    ]);
    expect(await ledger.record(events)).toEqual(events.map(() => "duplicate"));
    const [sum] = await ledger.rollups(organization, "", hour, nextHour(hour));
    expect(sum?.sums.cost_points).toBe(parsePoints("1.5"));
    await expectSums(ledger, organization);
  });

  test("takes more events than a transaction holds, over many organizations, in few transactions", async () => {
    const organizations = [newOrganization(), newOrganization()];
    const events = Array.from({ length: 240 }, (_, i) =>
      event(organizations[i % 2] as string, "0.01", {
        project: i % 3 ? `p${i % 3}` : "",
        model: `acme/m${i % 4}`,
      }),
    );
    const { aws, units } = counting(db.aws);
    expect(new Set(await createLedger(aws, db.tables, () => noon).record(events))).toEqual(
      new Set(["recorded"]),
    );
    // Two units an entry (entries are under 1 KB), and two for each rollup of each of the few transactions.
    expect(units.get("TransactWriteItems")).toBeLessThan(240 * 2 + 4 * 2 * 24);
    for (const organization of organizations) {
      for (const project of ["", "p1", "p2"]) await expectSums(ledger, organization, project);
    }
  });

  test("writes the rollups of a key in one transaction, and organizations side by side", async () => {
    const organizations = Array.from({ length: 50 }, newOrganization);
    const events = Array.from({ length: 100 }, (_, i) => event(organizations[i % 50] as string, "0.01"));
    const { aws, units } = counting(db.aws);
    let [running, most] = [0, 0];
    const watched: typeof aws = async (service, action, input) => {
      if (action !== "TransactWriteItems") return await aws(service, action, input);
      running += 1;
      most = Math.max(most, running);
      return await aws(service, action, input).finally(() => (running -= 1));
    };
    await createLedger(watched, db.tables, () => noon).record(events);
    // Two units of each entry, and two of each organization's rollup.
    expect(units.get("TransactWriteItems")).toBe(100 * 2 + 50 * 2);
    expect(most).toBe(2);
  });

  test("never writes one rollup by two transactions at a time", async () => {
    const organization = newOrganization();
    let running = 0;
    const watched: Aws = async (service, action, input) => {
      if (action !== "TransactWriteItems") return await db.aws(service, action, input);
      running += 1;
      expect(running).toBe(1);
      return await db.aws(service, action, input).finally(() => (running -= 1));
    };
    const events = Array.from({ length: 120 }, () => event(organization, "0.01"));
    await createLedger(watched, db.tables, () => noon).record(events);
    await expectSums(ledger, organization);
  });

  test("survives eight recorders with the same events at once", async () => {
    const organization = newOrganization();
    const events = Array.from({ length: 20 }, () => event(organization, "0.5"));
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => ledger.record(events)));
    for (const i of events.keys()) {
      expect(outcomes.filter((each) => each[i] === "recorded")).toHaveLength(1);
    }
    await expectSums(ledger, organization);
  });

  test("gives entries by admission, in [from, to) to the millisecond", async () => {
    const organization = newOrganization();
    const events = [0, 1, 2, 3].map((offset) =>
      eventOf(walletHold("mtr_1", "1", noon + offset), "1", { organization }),
    );
    await ledger.record(events.toReversed());
    const ids = (await Array.fromAsync(ledger.eachEntry(organization, noon + 1, noon + 3))).map(
      ({ id }) => id,
    );
    expect(ids).toEqual([events[1]?.id, events[2]?.id]);
  });

  test("can be read as a whole", async () => {
    const entries = await Array.fromAsync(ledger.everyEntry());
    const owners = [...new Set(entries.map(({ organization }) => organization))];
    const places = owners.map((organization) => ({ organization, project: "" }));
    const rollups = await Array.fromAsync(ledger.rollupsIn(places));
    const usage = entries.filter(({ kind }) => kind === "usage");
    const total = usage.reduce((sum, { event }) => addSums(sum, event ? sumsOf(event) : noSums()), noSums());
    expect(rollups.reduce((sum, { sums }) => addSums(sum, sums), noSums())).toEqual(total);
  });
});

describe("a credit", () => {
  test("is booked once by its reference, whoever repeats it", async () => {
    const organization = newOrganization();
    const meter = newId("meter", noon);
    await meters.open(meter, 0, "payg");
    const credit = { organization, meter, points: parsePoints("12.5"), reference: "order-1", at: noon };
    const booked = await Promise.all(Array.from({ length: 8 }, () => ledger.credit(credit)));
    expect(booked.filter(Boolean)).toHaveLength(1);
    expect(await ledger.credit({ ...credit, reference: "order-2" })).toBe(true);
    expect(formatPoints(await meters.balance(meter))).toBe("25");
    const entries = await Array.fromAsync(ledger.everyEntry());
    const own = entries.filter((entry) => entry.organization === organization);
    expect(own).toHaveLength(2);
    expect(own[0]).toMatchObject({
      kind: "bought",
      debit: "cash:operator",
      credit: `customer:${organization}`,
    });
  });

  test("of another amount than its reference has booked is refused, and books nothing", async () => {
    const meter = newId("meter", noon);
    await meters.open(meter, 0, "payg");
    const credit = { organization: newOrganization(), meter, points: 5n, reference: "order-1", at: noon };
    await ledger.credit(credit);
    await expect(ledger.credit({ ...credit, points: 50n })).rejects.toMatchObject({ key: "invalid_request" });
    expect(await meters.balance(meter)).toBe(5n);
  });

  test("is booked, and said to be, when the first answer was lost", async () => {
    const meter = newId("meter", noon);
    await meters.open(meter, 0, "payg");
    const credit = { organization: newOrganization(), meter, points: 5n, reference: "order-1", at: noon };
    expect(await createLedger(repeating(db.aws), db.tables).credit(credit)).toBe(true);
    expect(await meters.balance(meter)).toBe(5n);
  });

  test("needs a wallet and an amount that its kind can have", async () => {
    const meter = newId("meter", noon);
    await meters.open(meter, 0, "subscription");
    const credit = { organization: newOrganization(), meter, points: 1n, reference: "order-1", at: noon };
    await expect(ledger.credit(credit)).rejects.toThrow("no wallet");
    await expect(ledger.credit({ ...credit, points: 0n })).rejects.toThrow(RangeError);
    await expect(ledger.credit({ ...credit, points: -1n, kind: "bought" })).rejects.toThrow(RangeError);
  });
});
