/** The audit: what would have to be gone for a fault in a single item to pass. */
import type { Row } from "#test/guards/guard.ts";

const faults = "shared/edges/audit/faults";
const changed = `${faults} › a field that is changed is named, with its item`;
const gone = `${faults} › an item that is gone is told of, unless its kind may be lost`;

export const audit: Row[] = [
  {
    id: "audit-1",
    test: "shared/edges/store/dynamodb/item-hash › tells apart %s",
    guard: "return digitsOf(short) === exact ? short : exact;",
    without: "return short;",
  },
  {
    id: "audit-2",
    test: "shared/edges/store/dynamodb/item-hash › takes %s and %s for one number",
    guard: "return digitsOf(short) === exact ? short : exact;",
    without: "return exact;",
  },
  {
    id: "audit-3",
    test: "shared/edges/audit/ties › the books are clean",
    guard: 'key: sealKey(organization, ""), add: { h } })',
    without: 'key: sealKey(organization, ""), add: { h: 0n } })',
  },
  {
    id: "audit-4",
    test: gone,
    guard: "return sum === kept ? [] :",
    without: 'return sum === kept || what.includes("fee") ? [] :',
  },
  {
    id: "audit-5",
    test: changed,
    guard: "isHashOf(h, orderedFacts(order), hashes)",
    without: "true",
  },
  { id: "audit-6", test: changed, guard: "isHashOf(p, order.paid ?? {}, hashes)", without: "true" },
  { id: "audit-7", test: changed, guard: "isHashOf(h, requestedFacts(invoice), hashes)", without: "true" },
  { id: "audit-8", test: changed, guard: "isHashOf(i, issuedFacts(invoice), hashes)", without: "true" },
  {
    id: "audit-9",
    test: changed,
    guard: '...(isAsHashed ? [] : ["is not what was written: its hash differs"]),',
    without: "",
  },
  {
    id: "audit-10",
    test: changed,
    guard: "differences(invoice, { ended_at: at, reason: after?.reason })",
    without: "differences(invoice, { ended_at: at })",
  },
  { id: "audit-11", test: changed, guard: "...allMisshapen(keys, items),", without: "" },
  {
    id: "audit-12",
    test: changed,
    guard: "if (isRight ? partial === undefined : partial === true) return [];",
    without: "if (isRight ? !partial : partial) return [];",
  },
  {
    id: "audit-13",
    test: changed,
    guard: '(status === "failed" ? isError(task.error) : (task.error ?? null) === null)',
    without: '((status === "failed") === ((task.error ?? null) !== null))',
  },
  {
    id: "audit-14",
    test: gone,
    guard: "return known.has(id) ? [] : [`$",
    without: "return pk ? [] : [`$",
  },
  {
    id: "audit-15",
    test: gone,
    guard: "if (key.created_at >= countedSince) wanted.add(name);",
    without: "",
  },
  {
    id: "audit-16",
    test: gone,
    guard: '...(reached.has(String(fields.id)) ? [] : ["has no claim of a contact"]),',
    without: "",
  },
  {
    id: "audit-17",
    test: gone,
    guard: "if (claim === undefined) gaps.push(",
    without: "if (claim === undefined) [].push(",
  },
  {
    id: "audit-18",
    test: "shared/edges/store/ledger/spread › a reader of many hours reads a seal once, and misses no hour that is spread meanwhile",
    guard: "if (known && hour >= spread.before)",
    without: "if (known && hour >= lastHour)",
  },
  {
    id: "audit-19",
    test: "shared/edges/store/ledger/spread › a reader of many hours reads a seal once, and misses no hour that is spread meanwhile",
    guard: "hourOf(this.#now() - 2 * limits.sealGraceSeconds * 1000)",
    without: "hourOf(this.#now() - limits.sealGraceSeconds * 1000)",
  },
];
