/** What keeps invoices: each order is on one of them, and their numbers have no gap and no double. */
import type { Row } from "#test/guards/guard.ts";

const store = "shared/edges/store/invoices";

export const invoices: Row[] = [
  {
    id: "invoices-1",
    test: `${store} › is on one invoice, of fifty that are requested at once`,
    guard: 'when: [absent("invoice")],',
    without: "when: [],",
    rule: "an order is invoiced once",
  },
  {
    id: "invoices-2",
    test: `${store} › that was paid back in between is not claimed`,
    guard: "return update({ table, key: orderKey(id), set: toItem({ state }), when });",
    without: "return update({ table, key: orderKey(id), set: toItem({ state }), when: [] });",
    rule: "nobody gets an invoice over money that was paid back",
  },
  {
    id: "invoices-3",
    test: `${store} › have no gap and no double, of fifty that are issued at once`,
    guard: 'when: [last === 0 ? absent("last") : equals("last", toAttribute(last))],',
    without: "when: [],",
    rule: "each number is given once",
  },
  {
    id: "invoices-4",
    test: `${store} › begin again with each year, and one invoice takes one, of ten that issue it at once`,
    guard: 'update({ table, key, set: toItem(facts), remove: dueNames, when: [inState("requested")] }),',
    without: "update({ table, key, set: toItem(facts), remove: dueNames, when: [] }),",
    rule: "an invoice takes one number, so that none is missing",
  },
  {
    id: "invoices-5",
    test: `${store} › lets its orders be invoiced again, once`,
    guard: "      when: [inState(from)],",
    without: "      when: [],",
    rule: "an end frees the orders once",
  },
  {
    id: "invoices-6",
    test: "shared/people/invoices/tax › and the net amount are what was paid, and the tax is the nearest whole unit",
    guard: "(2n * BigInt(paid) * share + whole + share)",
    without: "(2n * BigInt(paid) * share)",
    rule: "half a minor unit or more becomes tax",
  },
  {
    id: "invoices-7",
    test: "shared/people/invoices/tax › is owed by the customer where the rule says so",
    guard: "return !own.some((start) => tax_id.startsWith(start));",
    without: "return true;",
    rule: "companies of the seller's own country are taxed",
  },
  {
    id: "invoices-8",
    test: "shared/people/invoices/tax › keeps the tax of its request, in its list and its file, whatever the rule becomes",
    guard: "...(tax && { tax })",
    in: "invoice-requests.ts",
    without: "",
    rule: "an invoice keeps its tax",
  },
  {
    id: "invoices-9",
    test: "shared/edges/console/operations/exports › are found by when they were made, from an instant on and until another one",
    guard: "firstIdAt(kind, begin)",
    without: '""',
    rule: "a range begins where it is asked to",
  },
];
