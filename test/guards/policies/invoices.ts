/** What keeps invoices: each order is on one of them, and their numbers have no gap and no double. */
import type { Row } from "#test/guards/guard.ts";

const store = "shared/store/invoices";

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
];
