/** The models of the catalog in force. With an id behind its path, the page is that model's own. */
import type { OperatedModelLine } from "../../../api-types.ts";
import { shortCount } from "../../../format.ts";
import { listAndOne } from "../../../operators/list-and-one.tsx";
import { useOperatorRead } from "../../../operators/signed-in.ts";
import { Sought } from "../../../operators/sought.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { CatalogModel } from "./catalog-model.tsx";
import { page } from "./page.ts";

type Words = typeof import("./en.ts").words;

export const Page = listAndOne<Words>(page.path, Models, CatalogModel);

function Models({ words }: { words: Words }) {
  const models = useOperatorRead<"list_models">("/api/admin/v1/models");
  return (
    <Sheet lead={words.lead}>
      <Loaded of={models} lines={8}>
        {({ data }) => (
          <Sought words={words} rows={data} namesOf={({ model, providers }) => [model, providers]}>
            {(rows) => <ModelRows words={words} rows={rows} />}
          </Sought>
        )}
      </Loaded>
    </Sheet>
  );
}

function ModelRows({ words, rows }: { words: Words; rows: readonly OperatedModelLine[] }) {
  return (
    <Table
      caption={pageTitle()}
      rows={rows}
      keyOf={({ model }) => model}
      columns={[
        [words.model, ({ model }) => <a href={`${page.path}/${encodeURIComponent(model)}`}>{model}</a>],
        [words.providers, ({ providers }) => providers, "wide"],
        [words.context, ({ context }) => (context === null ? "–" : shortCount(context)), "number wide"],
        [words.price, ({ price }) => price, "number"],
        [words.priceOf, ({ price_of }) => price_of ?? "–", "wide"],
      ]}
    />
  );
}
