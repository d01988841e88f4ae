/** Customers of a stage that is restored: what they do before its instant and after it. */
import { restoreStage } from "#infra/operator/restore-stage.ts";
import { planRestore } from "#infra/operator/restore-tables.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { quotaPeriod } from "#shared/books/billing/period.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { pinPrice } from "#shared/books/billing/pricing/pin-price.ts";
import { noUsage } from "#shared/books/billing/usage.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { settlementOfEvent } from "#shared/books/ledger/usage-event.ts";
import type { Hold, Ticket } from "#shared/books/meters/hold.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { createOrganization, credit } from "#shared/edges/operator/organizations.ts";
import type { LogLine } from "#shared/edges/operator/trace-log.ts";
import type { Redo } from "#shared/edges/restore/redo.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createRestorable, sources, targetOf } from "./restorable.ts";
import { admit, eventOf, intentOf, planHold, planLimits, walletHold } from "./store.ts";

export const noon = Date.parse("2026-11-21T12:30:00Z");
export const restoredTables = {
  keys: targetOf("keys"),
  counters: targetOf("counters"),
  ledger: targetOf("ledger"),
  tasks: targetOf("tasks"),
  accounts: targetOf("accounts"),
};

/** A call, step by step. */
export interface Acting {
  hold: Hold;
  event: UsageEvent;
  admit(): Promise<void>;
  settle(): Promise<void>;
  record(): Promise<void>;
}

/** A call that costs so many points, or on a subscription would cost them. */
function callOf(
  organization: Organization,
  key: KeyRecord,
  points: string,
  at: number,
  { meters, ledger }: Pick<Story["stores"], "meters" | "ledger">,
): Acting {
  const { wallet, subscription } = organization;
  const month = quotaPeriod(subscription?.started_at ?? noon, at);
  const base = wallet
    ? walletHold(wallet.meter, "5", at, key.id)
    : planHold(subscription?.meter ?? "", planLimits({ period: month }), 10, at, key.id);
  const hold: Hold = {
    ...base,
    listPoints: parsePoints("5"),
    ...(key.limits && { limits: key.limits }),
  };
  const charged = wallet ? points : "0";
  const event = eventOf(hold, charged, {
    ...{ organization: organization.id, list_points: points },
    ...{ price: pinPrice({ mode: "per_image", unit_price: points }, "1") },
    usage: { ...noUsage, generated_images: 1 },
  });
  let ticket: Ticket | undefined;
  return {
    hold,
    event,
    async admit() {
      await meters.intend(intentOf(hold, organization.id));
      ticket = await admit(meters, hold);
    },
    async settle() {
      if (ticket) await meters.settle(ticket, settlementOfEvent(event));
    },
    record: async () => void (await ledger.record([event])),
  };
}

type Story = Awaited<ReturnType<typeof openStory>>;

/** A stage at noon, whose clock goes on by ten seconds with each step. */
export async function openStory() {
  let at = noon;
  const now = () => at;
  const stage = createRestorable(now);
  const stores = storesOf(sources);
  const logged: LogLine[] = [];
  const plans = { free: { price: { monthly: "3", quarterly: "9", yearly: "36" }, quota: { monthly: 100 } } };
  const deps = { ...stores, plans: () => ["free"], plan: () => plans.free as never, now };

  function storesOf(tables: Omit<typeof sources, "board" | "cache">) {
    return {
      accounts: createAccounts(stage.aws, tables),
      ledger: createLedger(stage.aws, tables, now),
      meters: createMeters(stage.aws, tables),
      replays: createReplays(stage.aws, tables),
    };
  }

  const keyOf = async (organization: Organization, change: Partial<KeyRecord> = {}): Promise<KeyRecord> => {
    const id = newId("key", at);
    const key: KeyRecord = {
      ...{ id, hash: `hash of ${id}`, organization: organization.id, project: "", name: "test" },
      ...{ mode: organization.wallet ? "payg" : "subscription", permissions: [], limits: null },
      ...{ status: "active", last_four: "abcd", created_at: at, expires_at: null, ...change },
    };
    await stores.accounts.createKey(key);
    return key;
  };

  const call = (organization: Organization, key: KeyRecord, points: string): Acting =>
    callOf(organization, key, points, at, stores);

  return {
    ...{ stage, stores, logged, now, call, keyOf },
    /** The stores of the restored tables. */
    restored: storesOf(restoredTables),
    step: (ms = 10_000) => (at += ms),
    open: (name: string, on: { plan?: string; points?: string }) => createOrganization({ name, ...on }, deps),
    credit: (organization: Organization, points: string, reference: string) =>
      credit(organization, { points, reference }, deps),
    async restore(instant: number, redo: Redo[] = []) {
      const plan = await planRestore({ sources, at: instant, nameOf: targetOf }, stage.control);
      const states: string[] = [];
      const restored = await restoreStage(plan, new Set(redo), {
        places: {
          ...{ tables: sources, usageQueueUrl: "usage", deadLetterQueueUrl: "dead" },
          pepperSecretArn: "pepper",
        },
        ...{ aws: stage.aws, control: stage.control },
        log: {
          async *since(since) {
            yield* logged.filter((line) => Date.parse(line.at) >= since);
          },
        },
        // The audit waits for calls in flight until its patience ends.
        now: () => (at += 10_000),
        pause: async () => {},
        progress: { count() {}, state: (text) => void states.push(text) },
      });
      return { ...restored, states };
    },
    /** Sweeps the restored tables, as the schedule does once they serve. */
    sweepRestored: () =>
      sweep({ older_than_seconds: 0 }, { ...storesOf(restoredTables), log() {}, now: () => at }),
  };
}

/** What a customer has paid and used, as one set of tables knows it: meters, and ledger. */
export async function booksOf({ ledger, meters }: Pick<Story["stores"], "ledger" | "meters">) {
  const items = (await Array.fromAsync(meters.everyMeter())).toSorted((a, b) => (a.meter < b.meter ? -1 : 1));
  const entries = await Array.fromAsync(ledger.everyEntry());
  const owners = [...new Set(entries.map(({ organization }) => organization))];
  const places = owners.map((organization) => ({ organization, project: "" }));
  const rollups = await Array.fromAsync(ledger.rollupsIn(places));
  return {
    meters: items.map(({ meter, used, avail, periods, budgets }) => ({
      ...{ meter, used: formatPoints(used), avail: formatPoints(avail) },
      periods: [...periods],
      budgets: [...budgets].map(([name, points]) => [name, formatPoints(points)]).sort(),
    })),
    entries: entries.map(({ id, organization, points }) => `${organization} ${id} ${points}`).sort(),
    rollups: rollups
      .map(
        ({ organization, span, sums }) =>
          `${organization} ${span} ${sums.calls} ${formatPoints(sums.cost_points)}`,
      )
      .sort(),
  };
}
