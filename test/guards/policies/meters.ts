/** Admissions and settlements that one write makes together, and what goes out of use on a meter. */
import type { Row } from "#test/guards/guard.ts";

export const meters: Row[] = [
  {
    id: "meters-1",
    test: "shared/edges/store/meters/joined-settlements › where one hold is gone the others are settled by themselves",
    guard: "when: [first, ...others].flatMap(({ when = [] }) => when),",
    without: "when: first.when ?? [],",
  },
  {
    id: "meters-2",
    test: "shared/edges/store/meters/joined-settlements › what one of them counts on stays, although another one finds it out of use",
    guard: "for (const name in add) remove.delete(name);",
    without: "",
  },
  {
    id: "meters-3",
    test: "shared/edges/store/meters/joined-settlements › a hold that is settled twice in one tick is settled once",
    guard: "&& hold.request !== other.request",
    without: "",
  },
  {
    id: "meters-4",
    test: "shared/edges/store/meters/leftovers › a wallet keeps marks that are over until a call looks, and no more than 32 calls leave",
    guard: "needsItem(hold) || looksForLeftovers(hold.request)",
    without: "needsItem(hold)",
  },
  {
    id: "meters-5",
    test: "shared/edges/store/meters/joined-settlements › as many unused names go as come, however many calls end together",
    guard: "removalsMax - removed.size",
    without: "Math.floor(removalsMax / endings.length)",
  },
  {
    id: "meters-6",
    test: "shared/edges/store/meters/joined-admissions › so that a wallet's last points go to as many calls as they suffice for",
    guard: 'atLeast("avail", totalPoints(holds))',
    without: 'atLeast("avail", first.points)',
  },
  {
    id: "meters-7",
    test: "shared/edges/store/meters/joined-admissions › and calls of one key together do not exceed its budget",
    guard: "points: (other?.points ?? 0n) + points }",
    without: "points }",
  },
  {
    id: "meters-8",
    test: "shared/edges/store/meters/joined-admissions › a lowered budget counts from the first call that knows of it",
    guard: "other && other.most < most ? other.most : most",
    without: "most",
  },
  {
    id: "meters-9",
    test: "shared/edges/store/meters/joined-admissions-unknown › and a repetition finds too few points, neither who is admitted alone nor who is refused is held later",
    guard: "take(aws, table, hold, { ...sent })",
    without: "take(aws, table, hold)",
  },
  {
    id: "meters-10",
    test: "shared/edges/store/meters/joined-admissions-unknown › and all are refused in the end, none is held by what arrives late",
    guard: "take(aws, table, hold, { ...sent })",
    without: "take(aws, table, hold)",
  },
  {
    id: "meters-11",
    test: "shared/edges/store/meters/joined-admissions-unknown › and it never answers, each fails with the same error and holds nothing",
    guard: "refuseFailed(aws, table, ticketFor(hold, sent), error));",
    without: "refuseFailed(aws, table, ticketOf(hold), error));",
  },
  {
    id: "meters-12",
    test: "shared/edges/store/meters/joined-admissions-unknown › and a repetition is made, the first try that comes after the end of the calls takes nothing",
    guard: "ticket: ticketFor(hold, sent, own),",
    without: "ticket: ticketOf(hold),",
  },
  {
    id: "meters-13",
    test: "shared/edges/store/meters/joined-intents › an intent that is written twice in one tick is there once",
    guard: "return intent.request !== other.intent.request;",
    without: "return true;",
  },
  {
    id: "meters-14",
    test: "shared/edges/store/meters/joined-intents › what a batch does not write is written by itself",
    guard: "Responses[at] !== undefined && Responses[at].Error === undefined",
    without: "Responses[at] !== undefined",
  },
  {
    id: "meters-15",
    test: "shared/edges/store/meters/joined-intents › one alone is a put, and so is a later attempt",
    guard: "attempt === 1 ? wait({ intent }) : intendAlone(aws, table, intent, attempt);",
    without: "wait({ intent });",
  },
  {
    id: "meters-16",
    test: "shared/edges/jobs/growth › gets none from a process that knows another number",
    guard: "if (wallet?.shards !== shards) return;",
    without: "if (!wallet) return;",
  },
  {
    id: "meters-17",
    test: "shared/calls/access/rushes › forgets the records anew when the shards are there, and lets no reply's work end before",
    guard: "keys.forget(wallet.organization);",
    without: "",
  },
  {
    id: "meters-18",
    test: "shared/edges/store/meters/rush › says nothing %s",
    guard: "if (!isOfMany(hold)) return {};",
    without: "",
  },
  {
    id: "meters-19",
    test: "shared/edges/store/meters/refused-settlements › the next settlement on the item ends the hold that was refused, by one write",
    guard: "if (isOverload(error)) for (const ending of group) unsettled.keep(ending);",
    without: "",
  },
  {
    id: "meters-20",
    test: "shared/edges/store/meters/refused-settlements › many are ended by as many writes as their number needs",
    guard: "unsettled.take(group[0].ticket.hold, holdsMax - group.length)",
    without: "unsettled.take(group[0].ticket.hold, 2 * holdsMax)",
  },
];
