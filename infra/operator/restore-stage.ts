/** Carries out a restore, and writes to the restored tables alone (infra/operator/restore.md "What restore does"). */

import type { Aws } from "#shared/base/platform/aws.ts";
import { audit } from "#shared/edges/audit/audit.ts";
import { type AccountsLosses, accountsLossesOf } from "#shared/edges/restore/accounts-losses.ts";
import { type AccountsRedone, redoAccounts } from "#shared/edges/restore/accounts-redo.ts";
import { gather, type Side } from "#shared/edges/restore/evidence.ts";
import { type Losses, lossesOf } from "#shared/edges/restore/losses.ts";
import { type Redo, type Redone, redo } from "#shared/edges/restore/redo.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createRestoring } from "#shared/edges/store/restoring.ts";
import { createRestoringAccounts, readAccountsState } from "#shared/edges/store/restoring-accounts.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { createQueueView } from "#shared/edges/store/usage-queue.ts";
import type { KeptTables } from "../stage/given-tables.ts";
import type { StackPlaces } from "../stage/outputs.ts";
import type { Progress } from "./command.ts";
import type { OperatorLog } from "./logs.ts";
import { counted } from "./progress.ts";
import { type RestorePlan, restoreTables } from "./restore-tables.ts";

interface StageDeps {
  /** The stage that is restored, with the tables it has now. */
  places: Pick<StackPlaces, "tables" | "usageQueueUrl" | "deadLetterQueueUrl" | "pepperSecretArn">;
  /** The port of the stores. */
  aws: Aws;
  /** The port with the actions on tables. */
  control: Aws;
  log: Pick<OperatorLog, "since">;
  now: () => number;
  pause(ms: number): Promise<void>;
  progress: Progress;
}

/** What a restore came to. */
export interface RestoreOutcome {
  plan: RestorePlan;
  tables: KeptTables;
  /** How many organizations have an empty cache now. */
  caches: number;
  /** How many sessions were ended. */
  sessions: number;
  /** What is lost after everything that was done again. */
  losses: Losses;
  /** The same of people, orders and invoices. */
  accounts: AccountsLosses;
  /** Dead letters that nobody could read. */
  unread: number;
  /** Messages in the usage queue. Once the stage has other tables, they are booked there, and charge no meter. */
  queued: number;
  redone: (Redone & Omit<AccountsRedone, "failed">) | undefined;
  /** When the pepper was last changed, Unix ms, if that was after the instant. */
  pepperChangedAt: number | undefined;
  audit: Awaited<ReturnType<typeof audit>>;
}

/** Restores as planned, does again what is `wanted`, and audits. */
export async function restoreStage(
  plan: RestorePlan,
  wanted: ReadonlySet<Redo>,
  deps: StageDeps,
): Promise<RestoreOutcome> {
  const { progress, places } = deps;
  await restoreTables(plan, { aws: deps.control, pause: deps.pause, state: progress.state });
  const tables = Object.fromEntries(plan.tables.map(({ table, target }) => [table, target])) as KeptTables;
  const stores = await storesOf(tables, deps);
  progress.state("caches are emptied");
  const caches = await emptyCaches(stores, deps);
  progress.state("sessions are ended");
  const sessions = await stores.people.endSessions(deps.now());
  const queue = createQueueView(deps.aws, {
    usage: places.usageQueueUrl,
    deadLetters: places.deadLetterQueueUrl,
  });
  const look = () =>
    gather(plan.instant, {
      source: watched(stores.source, deps),
      restored: stores.side,
      deadLetters: queue.deadLetters,
      logged: (since) => counted(deps.log.since(since), "log lines", progress),
    });
  let found = await look();
  const ofAccounts = await redoneAccounts({ wanted, organizations: organizationsIn(found) }, stores, deps);
  const done =
    wanted.size === 0
      ? undefined
      : await redo(
          lossesOf(found),
          { wanted, instant: plan.instant, restored: found.restored },
          { ...stores, now: deps.now, done: (what) => progress.count(`${what}s done again`) },
        );
  if (done) found = await look();
  const { failed, ...counts } = ofAccounts.redone;
  const redone = done && { ...done, ...counts, failed: [...done.failed, ...failed] };
  progress.state("the restored tables are audited");
  return {
    ...{ plan, tables, caches, sessions, redone, losses: lossesOf(found), unread: found.unread },
    accounts: ofAccounts.losses,
    queued: await queue.depth(),
    pepperChangedAt: await pepperChangedAfter(plan.instant, deps),
    audit: await audit({ ...stores, queue, now: clockOf(plan.instant, deps.now) }),
  };
}

function organizationsIn({ restored }: Awaited<ReturnType<typeof gather>>): ReadonlySet<string> {
  return new Set(restored.organizations.map(({ id }) => id));
}

/** Does again what is wanted of people and orders. Numbers of invoices are never given twice, whatever is wanted. */
async function redoneAccounts(
  asked: { wanted: ReadonlySet<Redo>; organizations: ReadonlySet<string> },
  { people, peopleOf }: Awaited<ReturnType<typeof storesOf>>,
  { now }: StageDeps,
): Promise<{ losses: AccountsLosses; redone: AccountsRedone }> {
  const [source, restored] = await Promise.all([peopleOf.source(), peopleOf.restored()]);
  const losses = accountsLossesOf(source, restored);
  for (const [series, last] of losses.series) await people.raiseSeries(series, last);
  const redone = await redoAccounts(losses, { ...asked, restored }, { accounts: people, now });
  const after = asked.wanted.size === 0 ? restored : await peopleOf.restored();
  // The series are told as they were found.
  return { losses: { ...accountsLossesOf(source, after), series: losses.series }, redone };
}

/** The audit looks at the books as of the instant: what ran then still does, and nothing has become due since. */
function clockOf(instant: number, now: () => number): () => number {
  const startedAt = now();
  return () => instant + now() - startedAt;
}

/** The stores of the restored tables, and both sets of tables as a comparison reads them. */
async function storesOf(tables: KeptTables, { aws, places, now }: StageDeps) {
  const from = sideOf(aws, places.tables, now);
  const prices = await Array.fromAsync(from.prices());
  // A price that came up after the instant is in the source's history alone.
  const byName = new Map(prices.map((each) => [`${each.version}#${each.model}`, each]));
  const whole = (model: string, version: string) => byName.get(`${version}#${model}`);
  const all = { ...places.tables, ...tables };
  const accounts = createAccounts(aws, all);
  const ledger = createLedger(aws, all, now, whole);
  const restoring = createRestoring(aws, all, now, whole);
  return {
    ...{ accounts, ledger, restoring, source: from.side, meters: createMeters(aws, all) },
    side: { accounts, ledger, keys: restoring.keys } satisfies Side,
    kept: createKeptBooks(aws, all, now),
    tasks: createTasks(aws, all),
    people: createRestoringAccounts(aws, all),
    peopleOf: {
      source: () => readAccountsState(aws, places.tables),
      restored: () => readAccountsState(aws, all),
    },
  };
}

function sideOf(aws: Aws, tables: KeptTables, now: () => number) {
  const ledger = createLedger(aws, tables, now);
  const { keys } = createRestoring(aws, tables, now);
  const side: Side = { accounts: createAccounts(aws, tables), ledger, keys };
  return { side, prices: ledger.prices };
}

/**
 * An answer that was kept after the instant must not be given again: it may be of a cache that was emptied since. No
 * cache has ever had an epoch that is a Unix second, and a later restore has a higher one.
 */
async function emptyCaches(
  { accounts, restoring }: Awaited<ReturnType<typeof storesOf>>,
  { now, progress }: StageDeps,
): Promise<number> {
  const epoch = Math.floor(now() / 1000);
  let emptied = 0;
  for await (const { id } of accounts.organizations()) {
    await restoring.raiseEpoch(id, epoch);
    progress.count("caches emptied");
    emptied += 1;
  }
  return emptied;
}

async function pepperChangedAfter(
  instant: number,
  { control, places }: StageDeps,
): Promise<number | undefined> {
  const { LastChangedDate } = await control("secretsmanager", "DescribeSecret", {
    SecretId: places.pepperSecretArn,
  });
  const at = LastChangedDate?.getTime() ?? 0;
  return at > instant ? at : undefined;
}

function watched(side: Side, { progress }: StageDeps): Side {
  const everyEntry = () => counted(side.ledger.everyEntry(), "entries", progress);
  return { ...side, ledger: { ...side.ledger, everyEntry } };
}
