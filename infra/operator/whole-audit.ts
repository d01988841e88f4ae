/** Audits the books of a place, with each thing counted that is read one after the other. */
import { type AuditReport, audit } from "#shared/edges/audit/audit.ts";
import type { AuditDeps } from "#shared/edges/audit/deps.ts";
import type { KeptBooks } from "#shared/edges/audit/kept.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { createQueueView } from "#shared/edges/store/usage-queue.ts";
import type { Progress } from "./command.ts";
import { counted } from "./progress.ts";
import type { Stores } from "./stores.ts";

/** Audits these stores. `walking`: which entries are walked, all of them if not given. */
export async function wholeAudit(
  stores: Stores,
  progress: Progress,
  walking?: AuditDeps["walking"],
): Promise<AuditReport> {
  const { aws, tables, usageQueueUrl, deadLetterQueueUrl } = stores.connection;
  const kept = watchedBooks(createKeptBooks(aws, tables), progress);
  const queue = createQueueView(aws, { usage: usageQueueUrl, deadLetters: deadLetterQueueUrl });
  const tasks = createTasks(aws, tables);
  return await audit({ ...watched(stores, progress), kept, tasks, queue, ...(walking && { walking }) });
}

/** The stores, with each thing counted that long commands read one after the other. */
export function watched<With extends Stores>(stores: With, progress: Progress): With {
  const { accounts, meters, ledger } = stores;
  return {
    ...stores,
    accounts: {
      ...accounts,
      organizations: () => counted(accounts.organizations(), "organizations", progress),
    },
    meters: { ...meters, everyMeter: (tell) => counted(meters.everyMeter(tell), "meters", progress) },
    ledger: {
      ...ledger,
      everyEntry: () => counted(ledger.everyEntry(), "entries", progress),
      rollupsIn: (...of) => counted(ledger.rollupsIn(...of), "rollups", progress),
    },
  };
}

/** The books item by item, counted as they are read. */
function watchedBooks(kept: KeptBooks, progress: Progress): KeptBooks {
  return {
    ...kept,
    entries: (...from) => counted(kept.entries(...from), "entries", progress),
    entriesOf: (organization, hour) => counted(kept.entriesOf(organization, hour), "entries", progress),
    items: (table) => counted(kept.items(table), `items of ${table}`, progress),
  };
}
