/** A place of which a trace is made, for one call of one wallet: it knows nothing but what a test gives it. */
import type { Entry } from "#shared/books/ledger/ledger.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { type TraceDeps, trace } from "#shared/edges/operator/trace.ts";
import type { LogLine } from "#shared/edges/operator/trace-log.ts";
import { intentOf, noon, walletHold } from "./store.ts";

export const hold = walletHold("mtr_1", "2");
export const id = hold.request;
export const at = (ms: number) => new Date(noon + ms).toISOString();

/** A place that knows nothing, but for what is given. */
export function place(known: Partial<TraceDeps> = {}): TraceDeps {
  return {
    accounts: { organizations: async function* () {} },
    ledger: { entriesOf: async () => [] },
    meters: { intent: async () => undefined, readMeter: async () => undefined },
    replays: { holder: async () => undefined },
    tasks: { find: async () => undefined },
    queue: { depth: async () => 0, deadLetters: async () => ({ deadLetters: [], unread: 0 }) },
    log: { linesOf: async () => [] },
    ...known,
  };
}

export const line = (event: string, ms: number, fields: Partial<LogLine> = {}): LogLine => ({
  ...{ level: "info", event, at: at(ms), request: id, organization: "org_1" },
  ...fields,
});

export const entryOf = (event: UsageEvent, change: Partial<Entry> = {}): Entry => ({
  id: event.id,
  kind: "usage",
  organization: "org_1",
  debit: "customer:org_1",
  credit: "revenue:acme/Sonic-1-5",
  points: event.cost_points,
  at: noon,
  posted_at: noon + 2000,
  event,
  ...change,
});

export const emptyMeter = { holds: new Map(), seized: new Map(), tasks: new Map() };
export const meters = (change: Partial<TraceDeps["meters"]> = {}): TraceDeps["meters"] => ({
  intent: async () => intentOf(hold),
  readMeter: async () => emptyMeter,
  ...change,
});

/** Time, step and detail, as the operator prints them. */
export const told = async (deps: TraceDeps, asked = id, organization?: string) =>
  (await trace(asked, organization, deps)).map(({ at: time, step, detail }) => [time, step, detail]);
