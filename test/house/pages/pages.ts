/** The pages that the code writes, with what writes each. */
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { matrixOf, readResults } from "#test/agents/results.ts";
import { loadPage, readResults as readLoads } from "#test/load/results.ts";
import { familiesTable } from "#test/shared/books/catalog/traits-table.ts";
import { fieldDocument } from "#test/shared/calls/protocols/field-document.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { chartsPage } from "./charts.ts";
import { columnsPage } from "./columns.ts";
import { faultsPage } from "./faults.ts";
import { codesPage, headersPage, routesPage } from "./http.ts";
import { pageOf } from "./page.ts";
import { formatsPage, itemsPage } from "./stored.ts";
import { toldChangesPage } from "./told-changes.ts";

/** What each page must say, by its path from the root. */
export const pages: Readonly<Record<string, () => string>> = {
  "shared/base/http/routes.md": () =>
    pageOf({
      title: "Routes",
      from: ["shared/base/http/routes.ts", "shared/edges/openapi"],
      text: routesPage(),
    }),
  "shared/base/http/error-codes.md": () =>
    pageOf({
      title: "Error codes",
      from: ["shared/base/errors.ts", "shared/calls/upstreams/refusal-codes.ts"],
      text: codesPage(),
    }),
  "shared/calls/gateway/header-tables.md": () =>
    pageOf({ title: "Headers", from: "shared/edges/openapi/header-words.ts", text: headersPage() }),
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
  "shared/edges/store/items.md": () =>
    pageOf({
      title: "The items of the store",
      from: ["shared/edges/store/dynamodb/table-schema.ts", "test/house/pages/items"],
      text: itemsPage(),
    }),
  "shared/people/identity/audit-lines.md": () =>
    pageOf({
      title: "Which changes leave a line",
      from: "test/shared/people/identity/told-changes.ts",
      text: toldChangesPage(),
    }),
  "infra/monitoring/charts.md": () =>
    pageOf({
      title: "The charts of the dashboard",
      from: "infra/monitoring/dashboard/charts.ts",
      text: chartsPage(),
    }),
  "infra/deploy/formats.md": () =>
    pageOf({
      title: "How the formats of items change",
      from: "test/house/pages/items",
      text: formatsPage(),
    }),
  "infra/cost/loads.md": () => loadPage(readLoads()),
  "test/agents/MATRIX.md": () => matrixOf(readResults()),
};

/** Those that need a running gateway or the SDKs: what writes each is its own test. */
export const pagesOfRuns: readonly string[] = [
  "infra/operator/manual.md",
  "test/sdk/MATRIX.md",
  "test/sdk/ROUTES.md",
];
