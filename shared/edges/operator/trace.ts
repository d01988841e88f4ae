/**
 * Everything that is known of one call or task, in order of time. Only log lines say when each attempt was sent. A step
 * has no time if no record has its time.
 */

import { bareId, isId, isTask, taskOf, timeOf } from "../../base/platform/id.ts";
import type { Accounts } from "../../books/accounts/account.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { Entry, Ledger } from "../../books/ledger/ledger.ts";
import type { DeadLetter } from "../../books/ledger/usage-event.ts";
import type { Intent } from "../../books/meters/intent.ts";
import type { Replays } from "../../calls/access/replays.ts";
import { failedAttempts, type LogLine, stepsOfLog } from "./trace-log.ts";
import { stepsOfEntry, stepsOfTask, type TracedTask } from "./trace-records.ts";
import type { TraceStep } from "./trace-step.ts";

interface TracedHold {
  points: bigint;
  tokens: number;
  period: string;
}

export interface TraceDeps {
  accounts: Pick<Accounts, "organizations">;
  ledger: Pick<Ledger, "entriesOf">;
  meters: {
    intent(request: string): Promise<Intent | undefined>;
    readMeter(
      meter: string,
      shard: number,
    ): Promise<Record<"holds" | "seized" | "tasks", Map<string, TracedHold>> | undefined>;
  };
  replays: Pick<Replays, "holder">;
  tasks: { find(organization: string, id: string): Promise<TracedTask | undefined> };
  queue: {
    depth(): Promise<number>;
    deadLetters(): Promise<{ deadLetters: DeadLetter[]; unread: number }>;
  };
  /** The log lines that name a call. They may end two hours after its arrival, those of a task two days after. */
  log: { linesOf(id: string): Promise<LogLine[]> };
}

/** What the stores and the log have of a call. */
interface Known {
  id: string;
  organization: string | undefined;
  intent: Intent | undefined;
  entries: Entry[];
  task: TracedTask | undefined;
  lines: LogLine[];
  /** Why the log could not be read. */
  logFailure?: string;
}

/**
 * The steps of a call or task, those without a time last. Give `organization` where an old call's intent has expired,
 * or every one is asked. Throws where `asked` is no id, and where nothing is known.
 */
export async function trace(
  asked: string,
  organization: string | undefined,
  deps: TraceDeps,
): Promise<TraceStep[]> {
  if (!isId(asked, "request", "task"))
    throw new Error(`${asked} is no request and no task: an id is req_ or VTK- and 26 letters and digits`);
  const known = await find(asked, organization, deps);
  const isKnown = known.intent ?? known.entries[0] ?? known.task ?? known.lines[0];
  if (!isKnown) throw new Error(nothingKnown(asked, organization));
  const steps = [
    arrival(known),
    ...(await admission(known, deps)),
    ...fromLog(known),
    ...stepsOfTask(known),
    ...known.entries.flatMap(stepsOfEntry),
    ...(await waiting(known, deps)),
    ...(await holding(known, deps)),
  ];
  return steps.sort((a, b) => placeOf(a) - placeOf(b));
}

function placeOf({ at }: TraceStep): number {
  return at === null ? Number.POSITIVE_INFINITY : Date.parse(at);
}

function nothingKnown(id: string, organization: string | undefined): string {
  const where = organization === undefined ? "" : ` of ${organization}`;
  return `nothing is known of ${id}${where}: no store and no log line has it. It would have come at ${rfc3339(timeOf(id))}. A refused call leaves its log line alone, and another place has other calls.`;
}

/** Looks in every store. A task and the request that made it share one intent, one entry and one time of arrival. */
async function find(asked: string, named: string | undefined, deps: TraceDeps): Promise<Known> {
  const [intent, log] = await Promise.all([
    deps.meters.intent(asked),
    deps.log.linesOf(asked).then(
      (lines) => ({ lines }),
      (error: unknown) => ({ lines: [], logFailure: error instanceof Error ? error.message : String(error) }),
    ),
  ]);
  const logged = log.lines.find((line) => line.organization !== undefined)?.organization;
  const organization = named ?? intent?.organization ?? logged;
  const owned =
    organization === undefined
      ? await searchAll(asked, deps)
      : { organization, ...(await ownedBy(organization, asked, deps)) };
  const id = intent?.request ?? owned.task?.id ?? owned.entries[0]?.event?.id ?? asked;
  return { id, intent, ...log, ...owned };
}

interface Owned {
  entries: Entry[];
  task: TracedTask | undefined;
}

async function ownedBy(organization: string, id: string, { ledger, tasks }: TraceDeps): Promise<Owned> {
  const [entries, task] = await Promise.all([
    ledger.entriesOf(organization, id),
    tasks.find(organization, taskOf(id)),
  ]);
  return { entries, task };
}

/** Asks one organization after another. Nothing else finds a call whose intent and log lines have expired. */
async function searchAll(id: string, deps: TraceDeps): Promise<Owned & Pick<Known, "organization">> {
  for await (const { id: organization, created_at } of deps.accounts.organizations()) {
    if (created_at > timeOf(id)) continue;
    const owned = await ownedBy(organization, id, deps);
    if (owned.task ?? owned.entries[0]) return { organization, ...owned };
  }
  return { organization: undefined, entries: [], task: undefined };
}

function arrival({ id, organization, intent, entries, lines }: Known): TraceStep {
  const owner = intent ?? entries[0]?.event ?? { project: undefined, key: keyIn(lines) };
  const from = organization === undefined ? "" : ` from ${organization}`;
  const facts = { id, organization: organization ?? null, project: owner.project, key: owner.key };
  return {
    at: rfc3339(timeOf(id)),
    step: "arrived",
    detail: `${isTask(id) ? "a video task" : "a call"}${from}${owner.key === undefined ? "" : ` with ${owner.key}`}`,
    source: "id",
    facts,
  };
}

/** A refused call is known by its lines alone. */
function keyIn(lines: readonly LogLine[]): string | undefined {
  return lines.find(({ key }) => key !== undefined)?.key;
}

/** How the call was admitted, from its intent, or from its entry once the intent has expired. */
async function admission({ id, intent, entries }: Known, deps: TraceDeps): Promise<TraceStep[]> {
  const event = entries[0]?.event;
  const call = intent ?? event;
  if (!call) return [];
  const { model, requested_model, mode, meter, shard, kind, price, tags } = call;
  // An intent names the model that was asked last. Whether that one answered is said by the entry alone.
  const asked =
    requested_model === undefined
      ? model
      : event
        ? `${model} in place of ${requested_model}`
        : `${requested_model}, and at last ${model} in its place`;
  const month = intent?.period ? ` in the quota month ${intent.period}` : "";
  const held = intent && (mode === "payg" ? `, holding ${intent.hold_points} points` : `, one call${month}`);
  const at = rfc3339(timeOf(id));
  const admitted: TraceStep = {
    at,
    step: "admitted",
    detail: `${asked}, ${mode}${held ?? ""}, on ${meter} shard ${shard}, price ${price.version}${tags === undefined ? "" : `, tags ${tags}`}`,
    source: intent ? "intent" : "ledger",
    facts: {
      ...{ kind, model, mode, meter, shard, price_version: price.version },
      ...(tags !== undefined && { tags }),
      ...(intent && { hold_points: intent.hold_points, period: intent.period }),
    },
  };
  const holder = intent?.scope && (await deps.replays.holder(intent.scope));
  if (!holder) return [admitted];
  const facts = { holder };
  return [
    admitted,
    { at, step: "once", detail: aboutKey(id, holder, entries), source: "idempotency", facts },
  ];
}

/** Which call has the idempotency key now. A call that failed gave it back, and a later call may have taken it. */
function aboutKey(id: string, holder: string, entries: Entry[]): string {
  if (holder === id) return "it has its idempotency key";
  return entries.length > 0
    ? `its idempotency key is that of ${holder} now`
    : `it repeats ${holder}, which has the idempotency key: it was not sent, and costs nothing`;
}

function fromLog({ id, lines, logFailure, entries, task }: Known): TraceStep[] {
  if (lines.length > 0) return stepsOfLog(lines, { id, known: entries.length > 0 || task !== undefined });
  const detail = logFailure
    ? `it could not be read: ${logFailure}`
    : "no line is kept: what each attempt took is not known";
  return [{ at: null, step: "log", detail, source: "log", facts: {} }];
}

/**
 * The usage event, if it may still be in the queue. Looking hides dead letters from other readers for a moment, so this
 * looks only where the real event is not booked.
 */
async function waiting({ id, entries, task }: Known, { queue }: TraceDeps): Promise<TraceStep[]> {
  const isEstimate = entries.length === 1 && entries[0]?.event?.source === "sweeper";
  if (task ? task.settled : entries.length > 0 && !isEstimate) return [];
  const [depth, { deadLetters, unread }] = await Promise.all([queue.depth(), queue.deadLetters()]);
  const found = deadLetters.filter(({ body }) => body.includes(bareId(id)));
  const steps = found.map(({ id: message, sent_at }): TraceStep => {
    const detail = "its usage event could not be booked: remove the cause, then redrive";
    return {
      at: rfc3339(sent_at),
      step: "dead letter",
      detail,
      source: "queue",
      facts: { message, sent_at },
    };
  });
  if (found.length > 0 || depth + unread === 0) return steps;
  const detail = `its usage event may be among ${depth} queued messages and ${unread} dead letters that others look at`;
  return [{ at: null, step: "queue", detail, source: "queue", facts: { depth, unread } }];
}

/** Whether the call still has a hold on its meter, and how much that is. */
async function holding({ id, intent, entries, lines }: Known, { meters }: TraceDeps): Promise<TraceStep[]> {
  const place = intent ?? entries[0]?.event;
  if (!place) return [];
  const { meter, shard } = place;
  const item = await meters.readMeter(meter, shard);
  const stepOf = (step: string, detail: string, facts: object = {}): TraceStep[] => [
    { at: null, step, detail, source: "meter", facts: { meter, shard, ...facts } },
  ];
  const seized = item?.seized.get(id);
  const held = item?.holds.get(id) ?? item?.tasks.get(id) ?? seized;
  if (held) {
    const amount = place.mode === "payg" ? `${formatPoints(held.points)} points` : `${held.tokens} tokens`;
    const facts = { points: formatPoints(held.points), tokens: held.tokens, period: held.period };
    return seized
      ? stepOf("seized", `the sweeper has its hold of ${amount} and has not settled it yet`, facts)
      : stepOf("held", `it holds ${amount}: it is not settled`, facts);
  }
  if (entries.length > 0) return stepOf("settled", "its meter holds nothing for it any more");
  const nothing = "its meter holds nothing for it, and nothing is booked";
  const failed = failedAttempts(lines);
  if (!failed) return stepOf("no hold", nothing);
  const { attempts, models } = failed;
  const tries = attempts === 1 ? "the one attempt" : `all ${attempts} attempts`;
  return stepOf(
    "failed",
    `nobody answered: ${tries} at ${models.join(", then ")} failed; ${nothing}`,
    failed,
  );
}
