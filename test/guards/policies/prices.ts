/** Prices that are read, kept and resolved as they are. */
import type { Row } from "#test/guards/guard.ts";

export const prices: Row[] = [
  {
    id: "prices-1",
    test: "shared/books/prices/history › is there before the entry: where it cannot be put, nothing is booked, and the next try books",
    in: "store/ledger/ledger.ts",
    guard: "await history.remember(events);",
    without: "",
  },
  {
    id: "prices-2",
    test: "shared/edges/store/tasks › the price of a video is in the history with its entry",
    guard: "await history.remember([event]);",
    without: "",
  },
  {
    id: "prices-3",
    test: "shared/books/prices/history › is the catalog's, where the entry carries only a part of it",
    guard: 'const when = price.partial ? absent("pk") : either(absent("pk"), exists("partial"));',
    without: 'const when = absent("pk"); void [either, exists];',
  },
  {
    id: "prices-4",
    test: "shared/books/prices/history › costs a process one write, of one unit, and no more with the next calls",
    in: "price-history.ts",
    guard: "met.add(name);",
    without: "",
  },
  {
    id: "prices-5",
    test: "shared/books/prices/list › are read as they are written, wherever they stand",
    guard: "context.source : value",
    without: "String(value) : value",
  },
  {
    id: "prices-6",
    test: "shared/books/prices/import › names what the list has not, cannot say, or says later here",
    guard: "entry.price_source.as_of > as_of",
    without: "false",
  },
  {
    id: "prices-7",
    test: "local/operator-import › writes a whole catalog, over a file only with --force",
    guard: "if (existsSync(out) && !force)",
    without: "if (false)",
  },
  {
    id: "prices-8",
    test: "shared/books/catalog/price-days › a catalog that deploys all the same may have prices of unknown age, or read more than 90 days ago",
    guard: "return daysSince(day, now) > limits.priceAgeDaysMax;",
    without: "return daysSince(day, now) < 0;",
  },
  {
    id: "prices-9",
    test: "shared/edges/audit/audit › prices_resolve",
    guard: 'lost: gapsOf(books, "prices_resolve")',
    without: "lost: []",
  },
  {
    id: "prices-13",
    test: "shared/edges/audit/faults › a field that is changed is named",
    guard: "isRight: digest.equals(digestOf(item))",
    without: "isRight: true",
  },
  {
    id: "prices-10",
    test: "shared/books/prices/additions › that takes less, does less or costs more is refused",
    guard: 'changesOf(price, itsPrice).find(({ change }) => change === "up")',
    without: "undefined",
  },
  {
    id: "prices-11",
    test: "shared/books/prices/additions › is a channel of it, asked after the maker, whose price it has",
    guard: "rows.toSorted((a, b) => isMaker(b) - isMaker(a))",
    without: "rows",
  },
  {
    id: "prices-12",
    test: "shared/books/prices/additions › that cannot be added says why, field first, and keeps no other row",
    guard: 'if ("problems" in read) return { why: read.problems.join("; ") };\n  learn(',
    without: 'if ("problems" in read) return { entry };\n  learn(',
  },
  {
    id: "prices-14",
    test: "infra/catalog/catalog-files › whose files say one thing twice is refused, with both",
    guard: "if (before !== undefined) problems.push(",
    without: "if (false) problems.push(",
  },
  {
    id: "prices-15",
    test: "infra/catalog/catalog-files › a folder as the same files, with each change in the file that had it",
    guard: "if (known >= 0) return known;",
    without: "if (known >= 0) return 0;",
  },
  {
    id: "prices-16",
    test: "local/operator-sync › never changes what a person has pinned: a source with words of their own",
    guard: "return isList && words.every((each) => said.test(each));",
    without: "return isList || words.every((each) => said.test(each));",
  },
  {
    id: "prices-17",
    test: "local/operator-sync › writes the files of the vendors that change, and then finds nothing more",
    guard: "if (!price_source.source.includes(goneWords))",
    without: "if (price_source)",
  },
  {
    id: "prices-18",
    test: "infra/operator/models › refuses %s and writes nothing",
    in: "infra/operator/models.ts",
    guard: "if (where.local && isHere) return",
    without: "if (isHere) return",
  },
  {
    id: "prices-19",
    test: "infra/operator/models › prices it as %s says",
    guard: 'if (price === "like") {',
    without: 'if (typeof price === "object" || price === "like") {',
  },
];
