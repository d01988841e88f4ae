/** The faults of billing.md §5 around a call and its customer, F34 to F70. */
import type { Row } from "./guard.ts";
import { putOnce } from "./store-faults.ts";

export const callFaults: Row[] = [
  {
    id: "F34",
    test: "metering › a client that hangs up is billed exactly",
    guard: "shared/gateway/answer.ts: while (await source.next()) {",
    without: "while (false) {",
  },
  {
    id: "F35",
    test: "local › holds the function back while the client does not read",
    guard: "shared/gateway/pipeline.ts: limits.settlementReserveMs - deps.now()",
  },
  {
    id: "F36",
    test: "channels › when all fail, the answer says how many were asked; each is asked once",
    guard: "shared/gateway/forward.ts: cooling.failed(candidate.channel, deps.now());",
    without: "throw error;",
  },
  {
    id: "F37",
    test: "provider-failures › cut JSON",
    guard: 'shared/gateway/forward.ts: throw new ProviderFault("a reply that cannot be read");',
    without:
      'return { kind: "whole", bytes, facts: { usage: undefined, produced: true, failed: false, output_bytes: 0 } };',
  },
  {
    id: "F38",
    test: "http-client › no answer in time: the peer may have acted",
    guard:
      'shared/platform/http-client.ts: timer = setTimeout(() => client.destroy(new Error("first byte timeout")), request.firstByteMs);',
    without: "",
  },
  {
    id: "F39",
    test: "provider-failures › the process's own time is kept: a provider that is too slow is cut while there is time to settle",
    guard: "shared/gateway/pipeline.ts: limits.settlementReserveMs - deps.now()",
    without: "0 - deps.now()",
  },
  {
    id: "F40",
    test: "metering › no reported usage is estimated and flagged, never free",
    guard: 'shared/gateway/meter.ts: usage: { ...input, output_tokens }, evidence: "estimated", free: false',
    without: 'usage: { ...input, output_tokens }, evidence: "estimated", free: true',
  },
  {
    id: "F41",
    test: "metering › usage on every chunk is cumulative: the last counts, and nothing is held back for it",
    guard: 'shared/protocols/openai-chat/stream.ts: usage = readUsage(chunk["usage"]) ?? usage;',
    without: 'usage ??= readUsage(chunk["usage"]);',
  },
  {
    id: "F42",
    test: "metering › zero output that was reported is honoured",
    guard: "shared/gateway/meter.ts: if (usage) {",
    without: "if (usage?.output_tokens) {",
  },
  {
    id: "F43",
    test: "metering › absurd counters never break a call: %s",
    guard: "shared/protocols/counters.ts: Math.min(Math.floor(number), limits.tokensMax)",
    without: "number",
    rule: "design §3: what is reported is billed up to 2⁴⁰ and flagged there",
  },
  {
    id: "F44",
    test: "faults › more cached tokens than there was input are no more than the input",
    guard: "shared/protocols/openai-chat/codec.ts: Math.min(counter(cached), prompt)",
    without: "counter(cached)",
  },
  {
    id: "F45",
    test: "store › charges a settlement that exceeds its hold in full, and admits nobody below zero",
    guard: "shared/store/meter-item.ts: avail: held.points - settlement.points, used: settlement.points",
    without: "avail: 0n, used: held.points",
  },
  { id: "F46", awaits: "strict mode" },
  {
    id: "F47",
    test: "channels › after the first frame there is no second try",
    guard: "shared/gateway/forward.ts: while (!relay.begun()) {",
  },
  { id: "F48", awaits: "idempotency keys" },
  { id: "F49", not_applicable: "there is no response cache in this version" },
  { id: "F50", not_applicable: "there is no response cache in this version" },
  ...["F51", "F52", "F53", "F54", "F55", "F56"].map((id): Row => ({ id, awaits: "video" })),
  {
    id: "F57",
    test: "ledger › is booked once by its reference, whoever repeats it",
    ...putOnce,
    rule: "no payment callbacks in this version: an operator's credit is idempotent by its reference",
  },
  {
    id: "F58",
    not_applicable: "no payment callbacks in this version: only an operator's credentials book points",
  },
  { id: "F59", awaits: "sharding" },
  { id: "F60", awaits: "sharding" },
  {
    id: "F61",
    not_applicable:
      "a request id has 80 random bits beside its millisecond, and the same id is by design the same call",
  },
  {
    id: "F62",
    test: "faults › an intent outlives every sweep that may need it, by days",
    guard: "shared/limits.ts: intentLifetimeSeconds: 3 * 86_400,",
    without: "intentLifetimeSeconds: 1_800,",
  },
  {
    id: "F63",
    test: "operations › any range equals the entries in it, for the organization and for a project",
    guard:
      "shared/billing/report.ts: const totals = lines.reduce((total, [, sums]) => addSums(total, sums), noSums());",
  },
  { id: "F64", awaits: "seals" },
  {
    id: "F65",
    test: "ledger-export › any range adds up to the report of that range, corrections included",
    guard: "shared/billing/cover.ts: [hours.head, hours.tail]",
    without: "[hours.head]",
  },
  {
    id: "F66",
    test: "faults › an event of a version that is not known, or with a count that is none, is poison; the one of today is read",
    guard: "shared/billing/usage-event.ts: if (event.version !== 1)",
    without: "if (false)",
  },
  {
    id: "F67",
    test: "stack › %s can be restored, is protected outside dev, and costs by use",
    guard: "infra/tables.ts: pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },",
    rule: "a restored ledger takes the same events again without harm, as F13 shows",
    without: "",
  },
  {
    id: "F68",
    test: "money › revocation and freeze act on the very next call, on both gateways",
    guard: "shared/store/admission.ts: absent(names.frozen),",
  },
  {
    id: "F69",
    test: "runtime › is over when the runtime asks for the next call: the hold is settled, however slow the store",
    guard:
      "functions/gateway.ts: requestEnd: async (request) => (request.response as Answer | undefined)?.after?.(),",
  },
  {
    id: "F70",
    test: "faults › a hundred thousand ids of one millisecond differ",
    guard: "shared/platform/id.ts: return prefixes[kind] + ulid(at, () => (bytes.next().value ?? 0) / 256);",
    without:
      'return prefixes[kind] + ulid(at, () => (bytes.next().value ?? 0) / 256).slice(0, 14) + "0".repeat(12);',
  },
];
