/** Prices that are read, kept and resolved as they are. */
import type { Row } from "#test/guards/guard.ts";

export const prices: Row[] = [
  {
    id: "prices-1",
    test: "shared/operations/prices/history › is there before the entry: where it cannot be put, nothing is booked, and the next try books",
    guard: "shared/store/ledger/ledger.ts: await history.remember(events);",
    without: "",
  },
  {
    id: "prices-2",
    test: "shared/tasks/store › the price of a video is in the history with its entry",
    guard: "shared/store/tasks.ts: await history.remember([event]);",
    without: "",
  },
  {
    id: "prices-3",
    test: "shared/operations/prices/history › is the catalog's, where the entry carries only a part of it",
    guard:
      'shared/store/ledger/price-history.ts: const when = price.partial ? absent("pk") : either(absent("pk"), exists("partial"));',
    without: 'const when = absent("pk"); void [either, exists];',
  },
  {
    id: "prices-4",
    test: "shared/operations/prices/history › costs a process one write, of one unit, and no more with the next calls",
    guard: "shared/store/ledger/price-history.ts: met.add(name);",
    without: "",
  },
  {
    id: "prices-5",
    test: "shared/operations/prices/list › are read as they are written, wherever they stand",
    guard: "shared/operations/prices/numbers.ts: context.source : value",
    without: "String(value) : value",
  },
  {
    id: "prices-6",
    test: "shared/operations/prices/import › names what the list has not, cannot say, or says later here",
    guard: "shared/operations/prices/drift.ts: entry.price_source.as_of > as_of",
    without: "false",
  },
  {
    id: "prices-7",
    test: "local/operator-import › writes a whole catalog, over a file only with --force",
    guard: "infra/operator/catalog.ts: if (existsSync(file) && !force)",
    without: "if (false)",
  },
  {
    id: "prices-8",
    test: "shared/catalog/rules › that deploys all the same may have prices of unknown age, or read more than 90 days ago",
    guard: "shared/operations/admin/catalog-check.ts: days > limits.priceAgeDaysMax",
    without: "false",
  },
  {
    id: "prices-9",
    test: "shared/operations/audit/audit › prices_resolve",
    guard: 'shared/operations/audit/audit.ts: ["prices_resolve", pricesResolve],',
    without: "",
  },
];
