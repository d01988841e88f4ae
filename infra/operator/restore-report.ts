/** Tells the operator what a restore came to: what is lost, which keys are valid again, and what to do now. */
import { formatPoints } from "#shared/books/billing/points.ts";
import { creditedBy, creditKindOf } from "#shared/books/ledger/credit.ts";
import { chargedAfter, type LostCall } from "#shared/edges/restore/losses.ts";
import { accountsReportOf, nextOfAccounts, revivedPeople, sentencesOf } from "./restore-report-accounts.ts";
import type { RestoreOutcome } from "./restore-stage.ts";
import { told } from "./restore-tables.ts";

/** How many lines of a list are shown without `--json`. */
const shownMax = 20;

/** The report as JSON. `file` is the stage's file, if the names were written into it. */
export function reportOf(restored: RestoreOutcome, file: string | undefined) {
  const { plan, tables, losses, audit, redone, pepperChangedAt } = restored;
  const isOpen = losses.revived.length + losses.thawed.length + revivedPeople(restored.accounts) > 0;
  return {
    ok: audit.ok && !isOpen && (redone?.failed.length ?? 0) === 0,
    instant: told(plan.instant),
    tables,
    written_to: file ?? null,
    caches_emptied: restored.caches,
    redone: redone ?? null,
    keys_valid_again: losses.revived.map(({ id, organization, name, last_four }) => ({
      ...{ key: id, organization, name, last_four },
    })),
    organizations_active_again: losses.thawed.map(({ id, name }) => ({ organization: id, name })),
    lost: lostOf(restored),
    ...accountsReportOf(restored),
    calls: losses.calls.map(({ request, organization, points, known_from }) => ({
      ...{ request, organization, points, known_from },
    })),
    pepper_changed_at: pepperChangedAt === undefined ? null : new Date(pepperChangedAt).toISOString(),
    unread_dead_letters: restored.unread,
    queued_messages: restored.queued,
    audit,
    next: nextOf(restored, file),
  };
}

type Report = ReturnType<typeof reportOf>;

function lostOf({ losses }: RestoreOutcome) {
  const from = (known: LostCall["known_from"]) =>
    losses.calls.filter(({ known_from }) => known_from === known).length;
  const points = chargedAfter(losses.calls);
  return {
    calls_in_ledger: from("ledger"),
    calls_in_dead_letters: from("dead letter"),
    points_of_these: points.known,
    calls_in_log_alone: from("log"),
    points_in_log_alone: points.logged,
    keys: losses.keys.map(({ id, organization, name }) => ({ key: id, organization, name })),
    keys_in_log_alone: losses.forgotten_keys,
    organizations: losses.organizations.map(({ id, name }) => ({ organization: id, name })),
    changes: losses.changes,
    credits: losses.credits.map((entry) => ({
      organization: entry.organization,
      reference: entry.id.slice("credit#".length),
      kind: creditKindOf(entry) ?? "",
      points: formatPoints(creditedBy(entry)),
    })),
    plan_fees: losses.fees.map(({ id, organization, points: fee }) => ({
      organization,
      fee: id,
      points: fee,
    })),
  };
}

/** What there is to do, the most urgent first, a sentence each. */
function nextOf(restored: RestoreOutcome, file: string | undefined): string[] {
  const { losses, plan, queued, unread, pepperChangedAt, audit, tables } = restored;
  const at = told(plan.instant);
  const again = (what: string) => `run the same command with --at ${at} --redo ${what}`;
  const booked = losses.calls.filter(({ event }) => event).length;
  const logged = losses.calls.filter(({ event, points }) => !event && points !== "0");
  const [first] = logged;
  return sentencesOf(
    losses.revived.length + losses.thawed.length > 0 &&
      `DANGER: keys that were revoked after ${at} are valid again (${losses.revived.length}), or organizations that were frozen are active (${losses.thawed.length}): ${again("revocations")}`,
    ...nextOfAccounts(restored, again),
    pepperChangedAt !== undefined &&
      "the pepper was changed after the instant: a key that has only the hash of the pepper before it is refused, unless the secret still has that one",
    queued > 0 &&
      `messages in the usage queue: ${queued}; let them be booked before the stage changes over, or their meters are not charged`,
    unread > 0 && `dead letters that could not be read: ${unread}; look at them in their queue`,
    booked > 0 && `calls that can be booked again: ${booked}; ${again("calls")}`,
    first !== undefined &&
      `calls that the log alone knows: ${logged.length}; to charge one after the change-over: org credit ${first.organization} --kind adjustment --points -${first.points} --reference ${first.request}`,
    losses.credits.length > 0 && `lost credits: ${losses.credits.length}; ${again("credits")}`,
    losses.keys.length > 0 && `lost keys: ${losses.keys.length}; ${again("keys")}`,
    losses.organizations.length + losses.changes.length > 0 &&
      "after the change-over make lost organizations and changes again: org create, org plan, org lapse, org grant",
    !audit.ok && "the audit fails: read what it says before the stage changes over",
    file === undefined
      ? `to change over, put this into the stage's file and deploy: "tables": ${JSON.stringify(tables)}`
      : `to change over, deploy: ${file} has the new names`,
    "infra/operator/restore.md says how to stop calls before and start them after it",
  );
}

/** The report for a terminal: long lists are cut, and the audit says only what does not hold. */
export function shownReport({ audit, calls, next, ...report }: Report): object {
  const failing = audit.invariants.filter(({ holds }) => !holds);
  return {
    ...report,
    calls: calls.slice(0, shownMax),
    ...(calls.length > shownMax && { more_calls: `${calls.length - shownMax}, with --json` }),
    audit: { ok: audit.ok, pending: audit.pending, failing },
    next,
  };
}
