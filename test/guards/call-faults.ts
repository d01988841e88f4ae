/** The faults of billing.md §5 around a call and its customer, F34 to F72. */
import type { Row } from "./guard.ts";
import { putOnce } from "./store-faults.ts";

export const callFaults: Row[] = [
  {
    id: "F34",
    test: "shared/calls/gateway/metering › a client that hangs up is billed exactly",
    guard: "await flow.abandon();",
    without: "",
  },
  {
    id: "F35",
    test: "faults/faults › a client that does not read stops the provider, whatever there is to come",
    guard: "waitFor(out.length > 0 ? sink?.write(out) : undefined)",
    without: "void (out.length > 0 ? sink?.write(out) : undefined)",
  },
  {
    id: "F36",
    test: "shared/calls/upstreams/channels › when all fail, the answer says how many were asked; each is asked once",
    guard: "if (!isProviderFault(error)) throw error;",
    in: "attempts.ts",
    without: "throw error;",
  },
  {
    id: "F37",
    test: "shared/calls/upstreams/provider-failures › cut JSON",
    guard: 'throw new ProviderFault("a reply that cannot be read");',
    without:
      'return { kind: "whole", bytes, facts: { usage: undefined, produced: true, finish: "reason", failed: false, output_bytes: 0 } };',
  },
  {
    id: "F38",
    test: "shared/base/platform/http-client › no answer in time: the peer may have acted",
    guard: "headersTimeout: firstByteMs, ",
    without: "",
  },
  {
    id: "F39",
    test: "shared/calls/upstreams/provider-failures › the process's own time is kept: a provider that is too slow is cut while there is time to settle",
    guard: "limits.settlementReserveMs - deps.now()",
    without: "0 - deps.now()",
  },
  {
    id: "F40",
    test: "shared/calls/gateway/metering › no reported usage is estimated and flagged, never free",
    guard: 'usage: { ...input, output_tokens }, evidence: "estimated", free: false',
    without: 'usage: { ...input, output_tokens }, evidence: "estimated", free: true',
  },
  {
    id: "F41",
    test: "shared/calls/gateway/metering › usage on every chunk is cumulative: the last counts, and nothing is held back for it",
    guard: "usage = laterUsage(usage, readUsage(reported));",
    without: "usage ??= readUsage(reported);",
  },
  {
    id: "F42",
    test: "shared/calls/gateway/metering › zero output that was reported is honoured",
    guard: "if (usage) {",
    without: "if (usage?.output_tokens) {",
  },
  {
    id: "F43",
    test: "shared/calls/gateway/metering › absurd counters never break a call: %s",
    guard: "Math.min(Math.floor(number), limits.tokensMax)",
    without: "number",
    rule: "design §3: what is reported is billed up to 2⁴⁰ and flagged there",
  },
  {
    id: "F44",
    test: "faults/faults › more cached tokens than there was input are no more than the input",
    guard: "Math.min(cached, input)",
    without: "cached",
  },
  {
    id: "F45",
    test: "shared/edges/store/meters/meters › charges a settlement that exceeds its hold in full, and admits nobody below zero",
    guard: "avail: held.points - settlement.points, used: settlement.points",
    without: "avail: 0n, used: held.points",
  },
  {
    id: "F46",
    test: "shared/calls/gateway/strict › is stopped within a chunk when there is no next step, and billed for what came",
    guard:
      "if (extension.extended) {\n      ticket = extension.ticket;\n      steps = { ...steps, covered: next };",
    without: "if (extension) {\n      steps = { ...steps, covered: next };",
  },
  {
    id: "F47",
    test: "shared/calls/upstreams/channels › after the first frame there is no second try",
    guard: "while (!relay.begun()) {",
    without: "while (true) {",
  },
  {
    id: "F48",
    test: "shared/calls/access/idempotency › 20 at once are one call, one hold and one charge",
    guard: 'if (taken.status === "fulfilled" && !taken.value)',
    without: 'if (taken.status === "fulfilled")',
  },
  {
    id: "F49",
    test: "shared/calls/gateway/cached › a hit takes one call and nothing else, as its client reads it (streamed: %s)",
    guard: 'evidence: "cache",\n    free: false,',
    without: 'evidence: "cache",\n    free: true,',
    rule: "a hit costs nothing and is one call of the quota",
  },
  {
    id: "F50",
    test: "shared/calls/access/idempotency-crash › of a call whose answer could not be kept is refused, and shown the receipt",
    guard: "await store({ status, content_type, ...told }).catch(warn);",
    without: "await store({ status, content_type, ...told });",
    rule: "the answers kept are those of calls with an idempotency key",
  },
  {
    id: "F51",
    test: "shared/calls/tasks/repair › is kept and held for when the workflow does not start, and started by the sweep",
    guard: "if (await deps.workflow.start(task, executionOf(task))) return",
    without: "return",
    rule: "a task that was promised is kept: the sweep starts it, under the execution's own name",
  },
  {
    id: "F52",
    test: "shared/calls/tasks/repair › expires after a day with its hold, and is charged as the operator resolves it",
    guard: "if (isOverdue(now, 0, deps)) return (await expire(now, deps)).task;",
    without: "",
    rule: "what may have been made is not given back: the hold waits for an operator's verdict",
  },
  {
    id: "F53",
    test: "shared/edges/store/tasks › pollers, a cancel and an end of time at once leave one end and one entry",
    guard: "Object.entries(as).map(([name, value]) => equals(name, toAttribute(value)));",
    without: "[];",
  },
  {
    id: "F54",
    test: "shared/calls/tasks/lifecycle › is refused when the provider says %s, which is written down, and no record is deleted",
    guard: 'if (rendering.state === "queued") {',
    without: "if (true) {",
  },
  {
    id: "F55",
    test: "shared/calls/tasks/lifecycle › changes nothing when the provider %s",
    guard:
      'if (!(await deps.provider.cancel(task.upstream))) throw new GatewayError("upstream_cancel_failed");',
    without: "await deps.provider.cancel(task.upstream);",
  },
  {
    id: "F56",
    test: "shared/calls/tasks/lifecycle › what was asked, where the provider tells nothing",
    guard: "video_url: made.url ?? null,",
    without: "video_url: new URL(made.url as string).href,",
    rule: "the gateway fetches no video: it passes the address on, as the provider tells it",
  },
  {
    id: "F57",
    test: "shared/edges/store/ledger/ledger › is booked once by its reference, whoever repeats it",
    ...putOnce,
    rule: "an operator's credit is idempotent by its reference, as an order's is by the order (orders-1 and on)",
  },
  {
    id: "F58",
    test: "shared/edges/store/ledger/ledger › of another amount than its reference has booked is refused, and books nothing",
    guard: 'if (kind === creditKindOf(wanted) && points === creditedBy(wanted)) return "known";',
    without: 'return "known";',
  },
  {
    id: "F59",
    test: "shared/edges/jobs/shards-crashes › money on its way between shards is on one of them, whenever its mover dies",
    guard: "return (await transact(aws, [...taken, given].map(update))) === null;",
    without:
      "for (const part of [...taken, given]) if (await transact(aws, [update(part)])) return false; return true;",
  },
  {
    id: "F60",
    test: "shared/books/meters/shards › takes shards out of use while calls are on them, and empties them as those end",
    guard: "meterKey(hold.meter, hold.shard), held, amounts, unused",
    without: "meterKey(hold.meter, 0), held, amounts, unused",
  },
  {
    id: "F61",
    not_applicable:
      "no client names a request: its id has its millisecond and 80 random bits (F70), and a hold that is there under the same id is by design the same call, repeated",
  },
  {
    id: "F62",
    test: "faults/faults › an intent outlives every sweep that may need it, by days",
    guard: "intentLifetimeSeconds: 3 * 86_400,",
    without: "intentLifetimeSeconds: 1_800,",
  },
  {
    id: "F63",
    test: "shared/edges/store/ledger/late-postings › does not mislead a report that takes hours from a day it is just posted to",
    guard: "if (late === seal.late) return tally;",
    without: "return tally;",
  },
  {
    id: "F64",
    test: "shared/edges/store/ledger/late-postings › adds to hour, day and month when they are sealed, and so does its correction",
    guard: "...(seal && month <= seal.month ? [month] : []),",
    without: "",
  },
  {
    id: "F65",
    test: "local/ledger-export › any range adds up to the report of that range, corrections included",
    guard: "[hours.head, hours.tail]",
    without: "[hours.head]",
  },
  {
    id: "F66",
    test: "faults/faults › an event of a version that is not known, or with a count that is none, is poison; the one of today is read",
    guard: "if (event.version !== 1 && event.version !== 2)",
    without: "if (false)",
  },
  {
    id: "F67",
    test: "deployed/stack › %s can be restored, is protected outside dev, and costs by use",
    guard: "pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: kept },",
    rule: "a restored ledger takes the same events again without harm, as F13 shows",
    without: "",
  },
  {
    id: "F68",
    test: "local/money › revocation and freeze act on the very next call, on both gateways",
    guard: "absent(names.frozen),\n      ...keys.map((key) => absent(names.revoked(key))),",
    without: "",
  },
  {
    id: "F69",
    test: "deployed/runtime › is over when the runtime asks for the next call: the hold is settled, however slow the store",
    guard: "requestEnd: async (request) => (request.response as Answer | undefined)?.after?.(),",
    without: "",
  },
  {
    id: "F70",
    test: "faults/faults › a hundred thousand ids of one millisecond differ",
    guard: "crypto.getRandomValues(new Uint8Array(16))",
    without: "crypto.getRandomValues(new Uint8Array(2))",
  },
  {
    id: "F71",
    test: "shared/edges/store/meters/joined-settlements › where one hold is gone the others are settled by themselves",
    guard: "else for (const ending of group) void settleTogether(aws, table, [ending]);",
    without: "else for (const { resolve } of group) resolve(false);",
  },
  {
    id: "F72",
    test: "shared/edges/store/usage-queue-batches › is sent again by itself",
    guard: "return batch.filter((_, at) => !isSent(at));",
    without: "for (const { resolve } of batch) resolve();\n    return [];",
  },
];
