/**
 * The faults of billing.md §5 in our own processes and stores, F1 to F33: the test that shows what must hold, and
 * what makes it hold.
 */
import type { Row } from "./guard.ts";

/** Everything that dies, is lost, late or doubled, under every seed: one of them tells what is missing. */
const whole = "faults/simulation › seeds leave every book whole";
export const putOnce = {
  guard: 'put(table, item, [absent("pk")]), hash',
  without: "put(table, item, []), hash",
};

export const storeFaults: Row[] = [
  {
    id: "F1",
    test: whole,
    guard: "timeOf(request) <= before",
    without: "false",
  },
  {
    id: "F2",
    test: whole,
    guard: "await settleWith(hold, givenBack(deps.now()), deps);",
    without: "await settleWith(hold, { ...givenBack(deps.now()), giveBack: false }, deps);",
  },
  {
    id: "F3",
    test: "faults/faults › what died is charged its input, and never more than was held",
    guard: "input_tokens: intent.input_tokens }",
    without: "input_tokens: 0 }",
  },
  {
    id: "F4",
    test: "faults/faults › what died is charged its input, and never more than was held",
    guard: "chargeMax: held.points,",
    without: "",
  },
  {
    id: "F5",
    test: whole,
    guard: "const durable = await makeDurable(event, deps);",
    without: "void makeDurable(event, deps); const durable = true;",
  },
  {
    id: "F6",
    test: whole,
    guard: "await settleWith(hold, settlementOf(known), deps);",
    without: "await settleWith(hold, { ...settlementOf(known), points: 0n }, deps);",
  },
  { id: "F7", test: whole, ...putOnce },
  {
    id: "F8",
    test: whole,
    guard: "[...seized.keys(), ...expired]",
    without: "expired",
  },
  {
    id: "F9",
    test: "shared/edges/store/meters/meters › of %s takes one hold for an admission whose answer was lost",
    guard: "absent(names.hold(request)),",
    without: "",
  },
  {
    id: "F10",
    test: "shared/edges/store/meters/meters › settles a hold once",
    guard: "when: [equals(hold.name, writeHeld(hold.held))] }",
    without: "when: [] }",
  },
  {
    id: "F11",
    test: "shared/calls/gateway/metering › a queue that refuses is replaced by the ledger, the same event",
    in: "durable.ts",
    guard: "await deps.ledger.record([event]);",
    without: "",
  },
  {
    id: "F12",
    test: "shared/calls/gateway/metering › when queue and ledger both refuse, the client is served and the hold stays for the sweeper",
    guard: "settle: durable ? () =>",
    without: "settle: durable || true ? () =>",
  },
  {
    id: "F13",
    test: "shared/edges/store/ledger/ledger › counts an event once, delivered together, again, and among new ones",
    ...putOnce,
  },
  {
    id: "F14",
    test: "shared/edges/store/ledger/ledger › survives eight recorders with the same events at once",
    ...putOnce,
  },
  {
    id: "F15",
    test: "shared/edges/jobs/sweep-corrections › happens once, however many deliver it",
    guard: 'if (outcomes[0]?.failed) return "duplicate";',
    without: "",
  },
  {
    id: "F16",
    test: "local/money › duplicates are billed once, and only the poison message becomes a dead letter",
    guard: 'deps.log("error", "poison_message", { error: describeError(error) });\n      unread.push(id);',
    without: "",
  },
  {
    id: "F17",
    test: "local/operator-ledger › brings dead letters back, books each once however often it comes, and poison returns",
    ...putOnce,
  },
  {
    id: "F18",
    test: "shared/edges/store/meters/admission-writes › that never ends is 42900, sends nothing and holds nothing",
    guard:
      "return error instanceof ThrottledError || (error instanceof AwsError && error.code === conflict);",
    without: "return error instanceof ThrottledError;",
    rule: "design §4: after retries 42900; other shards come with sharding",
  },
  {
    id: "F19",
    test: "faults/faults › a ledger under load keeps its messages in the queue, and takes them when it can",
    guard:
      'log("error", "settle_failed", { request: event.id, error: describeError(error) });\n      failed.push(id);',
    without: "",
  },
  {
    id: "F20",
    test: "shared/edges/store/ledger/contention › only the organization that is in the way is spread",
    guard: "if (tries >= contentionTries) await spreadBusy(place, contendedOf(error, actions));",
    without: "",
  },
  {
    id: "F21",
    test: "shared/edges/store/ledger/ledger › is booked, and said to be, when the first answer was lost",
    guard: "ClientRequestToken: crypto.randomUUID(),",
    without: "",
  },
  {
    id: "F22",
    test: "shared/edges/store/ledger/ledger › counts an event once, delivered together, again, and among new ones",
    ...putOnce,
    rule: "keys decide, whatever became of a request token",
  },
  {
    id: "F23",
    test: whole,
    guard: "when: [equals(hold.name, writeHeld(hold.held))] }",
    without: "when: [] }",
  },
  {
    id: "F24",
    test: "shared/books/billing/instant › what is no instant",
    guard: "(at - milliseconds) % dayMs !== 0",
    without: "false",
  },
  {
    id: "F25",
    test: "faults/faults › a call that outlives its month counts in the month it began in, also when it is given back",
    guard: "amounts[names.period(held.period)] = BigInt(calls - (held.calls ?? 1))",
    without: 'amounts[names.period("20261201")] = BigInt(calls - (held.calls ?? 1))',
  },
  {
    id: "F26",
    test: "shared/books/billing/period › a month starts on the day of the first, or on its own last day",
    guard: "Math.min(anchor.getUTCDate(), lastDay)",
    without: "anchor.getUTCDate()",
  },
  {
    id: "F27",
    test: "shared/edges/operator/subscriptions › an upgrade keeps the calls used, a downgrade waits for the month and starts it at none",
    guard: "if (quotaOf(wanted) > quotaOf(running)) return",
    without: "return",
  },
  {
    id: "F28",
    test: "faults/faults › a price that changes while a call runs does not change what the call costs",
    guard: "const event = eventOf(admitted, outcome, deps.now());",
    without:
      "const event = eventOf({ ...admitted, price: deps.catalog.price(admitted.model) }, outcome, deps.now());",
  },
  {
    id: "F29",
    test: "shared/books/catalog/catalog › pins a model's price once, its group's where it has none of its own",
    guard: "known.set(model.id, value);",
    without: "",
    rule: "design §3: event and entry carry the price itself, so none can be missing",
  },
  {
    id: "F30",
    test: "shared/edges/store/meters/meters › gives the last call of its quota to exactly one of 50",
    guard: "const month = absentOrAtMost(names.period(period.id), BigInt(quota - calls));",
    without: "const month = absentOrAtMost(names.period(period.id), BigInt(1e9));",
  },
  {
    id: "F31",
    test: "shared/edges/store/meters/meters › refuses the fourth call of a minute without a trace, and says when it fits",
    guard: "if (rpm !== null && window.requests > rpm)",
    without: "if (rpm !== null && window.requests > 1e9)",
    rule: "the plan's limits hold on the subscription's meter, so every key shares them; each call here has a key of its own",
  },
  {
    id: "F32",
    test: "shared/edges/store/accounts › of %s that are revoked are refused at once, others not",
    guard: "...[...revisions].map(absent),",
    without: "",
  },
  {
    id: "F33",
    test: "shared/edges/store/accounts › that are frozen are refused by the next admission of either mode, and unfrozen admitted again",
    guard: "absent(names.frozen),\n      ...[...revisions]",
    without: "...[...revisions]",
  },
];
