/** What keeps vendors' bills: none counts that was withdrawn or is not whole, and no mistake of a file is read as usage. */
import type { Row } from "#test/guards/guard.ts";

const reports = "shared/books/reports/bills";
const store = "shared/edges/store/bills";

export const billRows: Row[] = [
  {
    id: "bills-1",
    test: `${store} › of two withdrawals at once the first counts, and the bill stays as it is`,
    guard: 'const written = await putItem(aws, accounts, hashed(item).item, [absent("pk")]);',
    without: "const written = await putItem(aws, accounts, hashed(item).item, []);",
    rule: "a withdrawal says for good who made it, and why",
  },
  {
    id: "bills-2",
    test: "shared/edges/operator/bill-histories › each day has the last bill that is left, whatever was imported and withdrawn",
    guard: "(head && !withdrawal ? [head] : [])",
    without: "(head ? [head] : [])",
    rule: "a withdrawn bill counts nowhere",
  },
  {
    id: "bills-3",
    test: `${reports}/import › of a file whose bill was withdrawn is a bill of its own, as often as that happens`,
    guard: "if (!withdrawn.has(id)) return id;",
    without: "return id;",
    rule: "the file of a withdrawn bill can be imported again",
  },
  {
    id: "bills-4",
    test: `${store} › a head or a line that somebody has changed or taken away is seen`,
    guard: "return hash !== undefined && isRight;",
    without: "return true;",
    rule: "a bill that somebody has changed is not compared",
  },
  {
    id: "bills-5",
    test: `${store} › the longest names fit: a part is bounded by its bytes too`,
    guard: "bytes + own <= partBytesMax",
    without: "bytes >= 0",
    rule: "a bill of any names can be kept",
  },
  {
    id: "bills-6",
    test: `${reports}/formats › a page that says that there are more is refused, but for one that has the next behind it`,
    guard: "page.has_more !== true",
    without: "page.has_more !== 1",
    rule: "a bill whose end is missing is not read",
  },
  {
    id: "bills-7",
    test: `${reports}/import › that have not come yet are refused with their line; a vendor's tomorrow may have begun`,
    guard: "if (day > latest) return [{",
    without: 'if (day > "9999") return [{',
    rule: "a day that was mistyped is not read",
  },
  {
    id: "bills-8",
    test: `${reports}/compare-names › goes with the one of ours that is missing there, and is no explained difference`,
    guard: "unmatched_models.length > 0 || cells.some",
    without: "cells.some",
    rule: "a model with two names is no explained difference",
  },
];
