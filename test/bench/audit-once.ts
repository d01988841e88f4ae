/**
 * Audits the books of a database in a process of its own, so that its memory is the audit's alone, and prints what it took
 * as JSON. Its words are the endpoint, the tables' names and, if it is to be so, the hour to begin with.
 */

import type { Aws } from "#shared/base/platform/aws.ts";
import { audit } from "#shared/edges/audit/audit.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { sealSort } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { emptyQueue } from "#test/support/audit-books.ts";
import { tables } from "#test/support/dynamodb.ts";
import { transports } from "#test/support/transports.ts";
import { until } from "./audited-books.ts";

/** What an audit took. */
export interface Audited {
  ok: boolean;
  /** What failed, if anything did. */
  wrong: string[];
  seconds: number;
  cpuSeconds: number;
  peakMegabytes: number;
  requests: number;
  readUnits: number;
  /** Reads of one seal. */
  seals: number;
}

const [endpoint = "", since] = process.argv.slice(2);
const taken = { requests: 0, readUnits: 0, seals: 0 };
const plain = transports.clients({ dynamodb: endpoint }, 60_000);
/** Counts what each request takes. */
const aws = (async (service, action, input, delivery) => {
  const counted = { ...(input as object), ReturnConsumedCapacity: "TOTAL" } as typeof input;
  const output = await plain(service, action, counted, delivery);
  const { ConsumedCapacity = [] } = output as { ConsumedCapacity?: Capacity | Capacity[] };
  taken.requests += 1;
  if (action === "GetItem" && isSeal(input as object)) taken.seals += 1;
  for (const { CapacityUnits } of [ConsumedCapacity].flat()) taken.readUnits += CapacityUnits;
  return output;
}) as Aws;

const isSeal = ({ Key }: { Key?: { sk?: { S?: string } } }) => Key?.sk?.S === sealSort;

interface Capacity {
  CapacityUnits: number;
}

const now = () => until + 3 * 3_600_000;
const started = performance.now();
const report = await audit({
  ...{ accounts: createAccounts(aws, tables), ledger: createLedger(aws, tables), queue: emptyQueue },
  ...{
    meters: createMeters(aws, tables),
    kept: createKeptBooks(aws, tables, now),
    tasks: createTasks(aws, tables),
  },
  now,
  ...(since !== undefined && { walking: { since } }),
});
const { user, system } = process.cpuUsage();
const audited: Audited = {
  ok: report.ok,
  wrong: report.invariants.flatMap(({ name, holds, detail }) => (holds ? [] : [`${name}: ${detail}`])),
  seconds: (performance.now() - started) / 1000,
  cpuSeconds: (user + system) / 1e6,
  peakMegabytes: process.resourceUsage().maxRSS / 1024,
  ...taken,
};
console.log(JSON.stringify(audited));
