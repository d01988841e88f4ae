/** The pages that the code writes, with what writes each. */
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { matrixOf, readResults } from "#test/agents/results.ts";
import { familiesTable } from "#test/shared/books/catalog/traits-table.ts";
import { fieldDocument } from "#test/shared/calls/protocols/field-document.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { columnsPage } from "./columns.ts";
import { faultsPage } from "./faults.ts";
import { pageOf } from "./page.ts";

/** What each page must say, by its path from the root. */
export const pages: Readonly<Record<string, () => string>> = {
  "shared/books/billing/faults.md": () =>
    pageOf({
      title: "Faults and threats that the product must bear",
      from: "test/guards/faults.ts",
      text: faultsPage(),
    }),
  "shared/books/catalog/families.md": () =>
    pageOf({
      title: "What the models of the default catalog take",
      from: "shared/books/catalog/default",
      text: familiesTable(parseCatalog(catalogFile)),
    }),
  "shared/books/reports/columns.md": () =>
    pageOf({ title: "Columns of lists", from: "shared/**/*columns.ts", text: columnsPage() }),
  "shared/calls/protocols/fields.md": () =>
    pageOf({ title: "What becomes of each field", from: "shared/calls/protocols", text: fieldDocument() }),
  "test/agents/MATRIX.md": () => matrixOf(readResults()),
};

/** Those that need a running gateway or the SDKs: what writes each is its own test. */
export const pagesOfRuns: readonly string[] = [
  "infra/operator/manual.md",
  "test/sdk/MATRIX.md",
  "test/sdk/ROUTES.md",
];
