/** What a restore loses, as far as tables, dead letters and logs know it (infra/operator/restore.md "What is lost"). */
import { isDeepStrictEqual } from "node:util";
import type { KeyRecord, Organization } from "../../books/accounts/account.ts";
import { formatPoints, parsePoints } from "../../books/billing/points.ts";
import { creditKindOf } from "../../books/ledger/credit.ts";
import type { Entry } from "../../books/ledger/ledger.ts";
import type { UsageEvent } from "../../books/ledger/usage-event.ts";
import type { LogLine } from "../operator/trace-log.ts";

/** Who may call, as one set of tables knows it. */
export interface Accounted {
  organizations: Organization[];
  keys: KeyRecord[];
}

/** What is known of the time after the instant. */
export interface LossEvidence {
  /** The tables that were restored from, as they are now. */
  source: Accounted;
  restored: Accounted;
  /** Entries of the source's ledger that the restored ledger does not have. */
  entries: Entry[];
  /** Usage events among the dead letters that neither ledger has. */
  letters: UsageEvent[];
  /** Lines of calls that neither ledger has, and of keys. */
  logged: LogLine[];
}

/** How a call after the instant is known. */
type KnownFrom = "ledger" | "dead letter" | "log";

export interface LostCall {
  request: string;
  organization: string;
  key: string;
  model: string;
  /** What it was charged, a decimal string of points. */
  points: string;
  known_from: KnownFrom;
  /** Absent where a log line alone knows the call: it does not say what was used. */
  event?: UsageEvent;
}

/** A field of an organization's record that changed after the instant. */
interface LostChange {
  organization: string;
  field: "name" | "subscription" | "permissions";
  restored: unknown;
  lost: unknown;
}

export interface Losses {
  /** Revoked after the instant, and valid again in the restored tables. */
  revived: KeyRecord[];
  /** Frozen after the instant, and active again in the restored tables. */
  thawed: Organization[];
  /** Made after the instant. */
  keys: KeyRecord[];
  /** The ids of keys that only a log line knows. Nothing can make them again. */
  forgotten_keys: string[];
  organizations: Organization[];
  changes: LostChange[];
  credits: Entry[];
  fees: Entry[];
  calls: LostCall[];
}

/** Compares both sides. Everything is in order of its id, and each thing is there once. */
export function lossesOf({ source, restored, entries, letters, logged }: LossEvidence): Losses {
  const [before, after] = [byId(restored.organizations), byId(source.organizations)];
  const keysAfter = byId(source.keys);
  const keysBefore = byId(restored.keys);
  const told = namedIn(logged, "key_revoked");
  const isRevoked = ({ id }: KeyRecord) => keysAfter.get(id)?.status === "revoked" || told.has(id);
  const isFrozen = ({ id }: Organization) => after.get(id)?.status === "frozen";
  return {
    revived: inOrder(restored.keys.filter((key) => key.status === "active" && isRevoked(key))),
    thawed: inOrder(restored.organizations.filter((each) => each.status === "active" && isFrozen(each))),
    keys: inOrder(source.keys.filter(({ id }) => !keysBefore.has(id))),
    forgotten_keys: [...namedIn(logged, "key_created")]
      .filter((id) => !keysAfter.has(id) && !keysBefore.has(id))
      .sort(),
    organizations: inOrder(source.organizations.filter(({ id }) => !before.has(id))),
    changes: inOrder(restored.organizations).flatMap((each) => changesOf(each, after.get(each.id))),
    // A plan and the points that have paid for it are both undone by the restore.
    credits: entries
      .filter((entry) => ![undefined, "plan"].includes(creditKindOf(entry)))
      .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
    fees: inOrder(entries.filter(({ kind }) => kind === "plan_fee")),
    calls: callsOf(entries, letters, logged),
  };
}

/** What was charged after the instant, in points: the calls of which it is known what they used, and the others. */
export function chargedAfter(calls: readonly LostCall[]): { known: string; logged: string } {
  const sum = (own: readonly LostCall[]) =>
    formatPoints(own.reduce((total, { points }) => total + parsePoints(points), 0n));
  return { known: sum(calls.filter(({ event }) => event)), logged: sum(calls.filter(({ event }) => !event)) };
}

/** The keys that lines of this event name. */
function namedIn(logged: readonly LogLine[], wanted: string): Set<string> {
  return new Set(logged.flatMap(({ event, key }) => (event === wanted && key !== undefined ? [key] : [])));
}

function byId<Record extends { id: string }>(records: readonly Record[]): Map<string, Record> {
  return new Map(records.map((record) => [record.id, record]));
}

function inOrder<Record extends { id: string }>(records: readonly Record[]): Record[] {
  return records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function changesOf(restored: Organization, lost: Organization | undefined): LostChange[] {
  if (!lost) return [];
  return (["name", "subscription", "permissions"] as const)
    .filter((field) => !isDeepStrictEqual(restored[field], lost[field]))
    .map((field) => ({
      organization: restored.id,
      field,
      restored: restored[field],
      lost: lost[field],
    }));
}

/** A call has up to two entries. The last one says what it came to. The ledger knows more than a letter or a line. */
function callsOf(entries: Entry[], letters: UsageEvent[], logged: LogLine[]): LostCall[] {
  const calls = new Map<string, LostCall>();
  for (const line of logged) {
    const { event, request, cost_points } = line;
    if ((event !== "call" && event !== "task_settled") || request === undefined) continue;
    const { organization = "", key = "", model = "" } = line;
    const points = cost_points ?? "0";
    calls.set(request, { request, organization, key, model, points, known_from: "log" });
  }
  for (const event of letters) calls.set(event.id, callOf(event, "dead letter"));
  // The id of a correction is that of its call with more behind it, so corrections come last.
  for (const { event } of inOrder(entries)) if (event) calls.set(event.id, callOf(event, "ledger"));
  return [...calls.values()].sort((a, b) => (a.request < b.request ? -1 : 1));
}

function callOf(event: UsageEvent, known_from: KnownFrom): LostCall {
  const { id: request, organization, key, model, cost_points: points } = event;
  return { request, organization, key, model, points, known_from, event };
}
