/** The operator's commands on money: what is booked, what is held, what waits in a queue, and whether all of it agrees. */

import { limits } from "#shared/limits.ts";
import { listHolds } from "#shared/operations/admin/holds.ts";
import { type ExportRange, exportLedger } from "#shared/operations/admin/ledger-export.ts";
import { instant } from "#shared/operations/api/instant.ts";
import { audit } from "#shared/operations/audit/audit.ts";
import { postPlanFees } from "#shared/operations/jobs/plan-fees.ts";
import { seal } from "#shared/operations/jobs/seal.ts";
import { sweep } from "#shared/operations/jobs/sweep.ts";
import { csvHead, csvLine } from "#shared/reports/export-columns.ts";
import { createSeals } from "#shared/store/ledger/seals.ts";
import { createReplays } from "#shared/store/replays.ts";
import { createTasks } from "#shared/store/tasks.ts";
import { createQueueView, moveMessages, queueDepth } from "#shared/store/usage-queue.ts";
import { repairTasks } from "#shared/tasks/repair.ts";
import { createWorkflow } from "#shared/tasks/workflow.ts";
import {
  type Command,
  type Flags,
  logAside,
  needed,
  oneOf,
  organizationOf,
  seconds,
  storesOf,
  text,
} from "./operator-call.ts";

export const ledgerCommands: Record<string, Command> = {
  "ledger export": {
    synopsis: "--from RFC3339 --to RFC3339 [--org ID] [--format csv|json] (entries in order of time)",
    async run(call) {
      const range: ExportRange = { from: moment(call.flags, "from"), to: moment(call.flags, "to") };
      if (range.from > range.to) throw new Error("--from is after --to");
      const format = oneOf(formatOf(call.flags), "--format", ["csv", "json"]);
      const { stores } = await storesOf(call);
      const organization = text(call.flags, "org");
      if (organization) range.organization = (await organizationOf(stores, organization)).id;
      const lines = exportLedger(range, { ...stores, terms: stores.terms() });
      const rendered = format === "csv" ? asCsv(lines) : asJson(lines);
      return { text: rendered, ok: true };
    },
  },
  holds: {
    synopsis: "[--older-than SECONDS] (calls and tasks under way or left behind, oldest first)",
    async run(call) {
      const { stores } = await storesOf(call);
      return { value: await listHolds(seconds(call.flags, "older-than") ?? 0, stores), ok: true };
    },
  },
  sweep: {
    synopsis:
      "[--older-than SECONDS] (closes the holds of calls that died, takes up tasks whose execution did)",
    async run(call) {
      const { stores, connection } = await storesOf(call);
      const { aws, tables, videoWorkflowArn } = connection;
      const age = seconds(call.flags, "older-than");
      const options = age === undefined ? {} : { older_than_seconds: age };
      const replays = createReplays(aws, tables);
      const swept = await sweep(options, { ...stores, replays, log: logAside });
      const workflow = createWorkflow(aws, videoWorkflowArn);
      const tasks = createTasks(aws, tables);
      // A stage may give tasks less time: then the execution that is started here ends them.
      const { taskLifetimeSeconds: lifetimeSeconds } = limits;
      const deps = { ...stores, tasks, workflow, lifetimeSeconds, log: logAside };
      const repaired = await repairTasks(options, deps);
      return { value: { ...swept, tasks: repaired }, ok: true };
    },
  },
  seal: {
    synopsis:
      "(posts plan fees that are due, seals days and months over for two hours; exits 1 when one fails)",
    async run(call) {
      const { stores, connection } = await storesOf(call);
      const seals = createSeals(connection.aws, connection.tables);
      const fees = await postPlanFees({ ...stores, log: logAside });
      const result = await seal({ ...stores, seals, log: logAside });
      return { value: { ...result, fees }, ok: result.failed + fees.failed === 0 };
    },
  },
  redrive: {
    synopsis: "(moves the dead letters back to the usage queue; repeating it books nothing)",
    async run({ place }) {
      const { aws, usageQueueUrl, deadLetterQueueUrl } = await place();
      // What fails again comes back while we move: only what lies there now is moved.
      const waiting = await queueDepth(aws, deadLetterQueueUrl);
      const moved = await moveMessages(aws, { from: deadLetterQueueUrl, to: usageQueueUrl }, waiting);
      return { value: { moved, left: await queueDepth(aws, deadLetterQueueUrl) }, ok: true };
    },
  },
  audit: {
    synopsis: "(the ledger's invariants; exits 1 when one fails)",
    async run(call) {
      const { stores, connection } = await storesOf(call);
      const { aws, tables, usageQueueUrl, deadLetterQueueUrl } = connection;
      const tasks = createTasks(aws, tables);
      const queue = createQueueView(aws, { usage: usageQueueUrl, deadLetters: deadLetterQueueUrl });
      const report = await audit({ ...stores, tasks, queue });
      return { value: report, ok: report.ok };
    },
  },
};

function moment(flags: Flags, name: string): number {
  const at = instant(needed(flags, name));
  if (at === undefined) throw new Error(`--${name} takes an instant such as 2026-11-21T00:00:00Z`);
  return at;
}

function formatOf(flags: Flags): string {
  return text(flags, "format") ?? (flags["json"] ? "json" : "csv");
}

type Lines = ReturnType<typeof exportLedger>;

/** RFC 4180: every line ends in CRLF, the last one too. */
async function* asCsv(lines: Lines): AsyncGenerator<string> {
  yield `${csvHead}\r\n`;
  for await (const line of lines) yield `${csvLine(line)}\r\n`;
}

/** One array, a line of text for each element. */
async function* asJson(lines: Lines): AsyncGenerator<string> {
  let before = "[\n";
  for await (const line of lines) {
    yield before + JSON.stringify(line);
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}
