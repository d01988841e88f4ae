/** The operator's commands on money: what is booked, what is held, what is queued, and whether all of it agrees. */

import { limits } from "#shared/base/limits.ts";
import { hourOf } from "#shared/books/billing/period.ts";
import { type FocusForm, focusForm, focusVersions } from "#shared/books/reports/focus-form.ts";
import { repairTasks } from "#shared/calls/tasks/repair.ts";
import { createWorkflow } from "#shared/calls/tasks/workflow.ts";
import type { Walked } from "#shared/edges/audit/walk.ts";
import { postPlanFees } from "#shared/edges/jobs/plan-fees.ts";
import { seal } from "#shared/edges/jobs/seal.ts";
import { sweep } from "#shared/edges/jobs/sweep.ts";
import { listHolds } from "#shared/edges/operator/holds.ts";
import { type ExportRange, exportLedger } from "#shared/edges/operator/ledger-export.ts";
import { createSeals } from "#shared/edges/store/ledger/seals.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createTasks } from "#shared/edges/store/tasks.ts";
import { queueDepth, redrive } from "#shared/edges/store/usage-queue.ts";
import { openPlace } from "./audit-place.ts";
import { type CommandGroup, choice, command, flag, flagOf, needed, onOff, seconds } from "./command.ts";
import { forecast } from "./forecast.ts";
import { checkOrder } from "./ledger-range.ts";
import { margin } from "./margin.ts";
import { counted } from "./progress.ts";
import { logAside, moment, organizationOf, storesOf, storesWithCatalog } from "./stores.ts";
import { watched, wholeAudit } from "./whole-audit.ts";

const exportLedgerOf = command({
  words: "ledger export",
  what: "prints every entry of a range in order of time, in FOCUS columns",
  more: "There is a line for each price of an entry. The lines add up to the report of the same range. It is CSV unless --format or --json says otherwise.",
  flags: {
    from: needed(flagOf("RFC3339", "the first instant", moment)),
    to: needed(flagOf("RFC3339", "the instant after the last", moment)),
    org: flag("ID", "one organization; all of them if not given"),
    format: choice(["csv", "json"], "the form of the lines"),
    focus: choice(focusVersions, "the version of FOCUS; 1.3 if not given"),
  },
  examples: {
    "--from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z > november.csv": "a month, into a file",
  },
  prints: "text",
  async run(call) {
    const { from, to, org, format = call.json ? "json" : "csv", focus = "1.3" } = call.flags;
    const range: ExportRange = { from, to };
    checkOrder(call.flags);
    const stores = await storesWithCatalog(call);
    if (org) range.organization = (await organizationOf(stores, org)).id;
    const lines = counted(exportLedger(range, stores), "lines", call.progress);
    const form = focusForm(focus);
    return { text: format === "csv" ? asCsv(lines, form) : asJson(lines, form) };
  },
});

const holds = command({
  words: "holds",
  what: "lists calls and tasks that run or were left behind, the oldest first",
  flags: { "older-than": flagOf("SECONDS", "only those that are at least so old", seconds) },
  examples: {
    "": "everything that holds something now",
    "--older-than 900": "what the sweep should have closed by now",
  },
  run: async (call) => ({ value: await listHolds(call.flags["older-than"] ?? 0, await storesOf(call)) }),
});

const sweepNow = command({
  words: "sweep",
  what: "closes the holds of calls that died, and takes up tasks whose execution did",
  more: "A schedule does the same every 5 minutes. A call that is closed is charged by the best evidence there is.",
  flags: {
    "older-than": flagOf(
      "SECONDS",
      "closes holds that are at least so old, also of calls that still run",
      seconds,
    ),
  },
  examples: {
    "": "what the schedule does",
    "--older-than 0": "all holds, after every gateway was stopped",
  },
  forGood: ({ flags: { "older-than": age } }) =>
    age === undefined
      ? undefined
      : `Every call older than ${age} s is closed and charged, also one that still runs. Its entry stays.`,
  async run(call) {
    const stores = watched(await storesOf(call), call.progress);
    const { aws, tables, videoWorkflowArn } = stores.connection;
    const age = call.flags["older-than"];
    const options = age === undefined ? {} : { older_than_seconds: age };
    const replays = createReplays(aws, tables);
    const swept = await sweep(options, { ...stores, replays, log: logAside });
    const workflow = createWorkflow(aws, videoWorkflowArn);
    const tasks = createTasks(aws, tables);
    // A stage may give tasks less time: then the execution that is started here ends them.
    const { taskLifetimeSeconds: lifetimeSeconds } = limits;
    const deps = { ...stores, tasks, workflow, lifetimeSeconds, log: logAside };
    const repaired = await repairTasks(options, deps);
    return { value: { ...swept, tasks: repaired } };
  },
});

const sealNow = command({
  words: "seal",
  what: "posts the plan fees that are due, and seals days and months that are over for two hours",
  more: "A schedule does the same every hour. It exits with 1 when something failed.",
  examples: { "": "what the schedule does" },
  async run(call) {
    const stores = watched(await storesWithCatalog(call), call.progress);
    const { aws, tables } = stores.connection;
    const places = createSeals(aws, tables);
    const seals = { ...places, places: () => counted(places.places(), "projects", call.progress) };
    const fees = await postPlanFees({ ...stores, log: logAside });
    const result = await seal({ ...stores, seals, log: logAside });
    return { value: { ...result, fees }, ok: result.failed + fees.failed === 0 };
  },
});

const redriveAll = command({
  words: "redrive",
  what: "moves dead letters back to the usage queue; repeating it books nothing",
  flags: { lessons: onOff("those of the semantic cache instead, back to the queue of its learner") },
  examples: {
    "": "after what kept them from being booked was mended",
    "--lessons": "after what kept lessons from being learned was mended",
  },
  async run({ flags, place, progress }) {
    const { aws, ...urls } = await place();
    const [queue, deadLetters] = flags.lessons
      ? [urls.lessonQueueUrl, urls.lessonDeadLetterQueueUrl]
      : [urls.usageQueueUrl, urls.deadLetterQueueUrl];
    const moved = await redrive(aws, { queue, deadLetters }, () => progress.count("dead letters moved"));
    return { value: { moved, left: await queueDepth(aws, deadLetters) } };
  },
});

const auditAll = command({
  words: "audit",
  what: "compares all books, and says of each invariant whether it holds",
  more: "It exits with 1 when one fails that nothing on its way explains. It may wait up to 30 seconds for what is on its way.",
  flags: {
    since: flagOf("RFC3339", "walk the entries of this UTC hour and later; all of them if not given", moment),
    resume: flag("FILE", "keep the place in this file, and go on there after the audit was broken off"),
  },
  examples: {
    "": "all invariants with their figures",
    "--since 2026-11-27T00:00:00Z --resume audit.place":
      "with the entries of yesterday and today; the same words go on where this was broken off",
  },
  async run(call) {
    const stores = await storesOf(call);
    const { tables, usageQueueUrl } = stores.connection;
    const { since: first, resume } = call.flags;
    const since = first === undefined ? {} : { since: hourOf(first) };
    const subject = { books: `${tables.ledger} ${usageQueueUrl}`, since: since.since ?? null };
    const place = resume === undefined ? undefined : openPlace(resume, subject);
    const onHours = (walked: Walked, hours: number) => {
      for (let n = 0; n < hours; n++) call.progress.count("hours");
      place?.keep(walked);
    };
    const walking = { ...since, ...(place && { walked: place.walked }), onHours };
    const report = await wholeAudit(stores, call.progress, walking);
    place?.remove();
    return { value: report, ok: report.ok };
  },
});

type Lines = ReturnType<typeof exportLedger>;

/** RFC 4180: every line ends in CRLF, the last one too. */
async function* asCsv(lines: Lines, { head, csv }: FocusForm): AsyncGenerator<string> {
  yield `${head}\r\n`;
  for await (const line of lines) yield `${csv(line)}\r\n`;
}

/** One array, a line of text for each element. */
async function* asJson(lines: Lines, { json }: FocusForm): AsyncGenerator<string> {
  let before = "[\n";
  for await (const line of lines) {
    yield before + json(line);
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

export const books: CommandGroup = {
  title: "Money",
  commands: [auditAll, exportLedgerOf, forecast, margin, holds, sweepNow, sealNow, redriveAll],
};
