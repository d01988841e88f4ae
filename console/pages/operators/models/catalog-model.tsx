/** One model of the catalog: its names, sizes, prices in force, and channels. */

import type { Price } from "../../../../shared/books/billing/pricing/price.ts";
import type { OperatedModel } from "../../../api-types.ts";
import { allPoints, count } from "../../../format.ts";
import { type PriceLine, priceLines } from "../../../model-price.ts";
import type { OneProps } from "../../../operators/list-and-one.tsx";
import { useOperatorRead } from "../../../operators/signed-in.ts";
import { operatorWords } from "../../../operators/words.ts";
import { ButtonLink } from "../../../parts/button.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { page as channelsPage } from "../channels/page.ts";

type Words = typeof import("./en.ts").words;

export function CatalogModel({ words, id, back }: OneProps<Words>) {
  const model = useOperatorRead<"show_model">(`/api/admin/v1/models/${encodeURIComponent(id)}`);
  return (
    <Sheet
      title={model.value?.display_name || id}
      actions={<ButtonLink href={back}>{operatorWords.value.back}</ButtonLink>}
    >
      <Loaded of={model}>
        {(whole) => (
          <>
            <ModelFacts words={words} of={whole} />
            <Section title={words.prices} lead={words.pricesLead}>
              <Prices words={words} price={whole.price as Price | null} />
            </Section>
            {whole.next_price && (
              <Section title={words.nextPrices(whole.next_price.from)} lead={words.pricesLead}>
                <Prices words={words} price={whole.next_price.price as Price} />
              </Section>
            )}
            <Section title={words.channels}>
              <Channels words={words} of={whole} />
            </Section>
          </>
        )}
      </Loaded>
    </Sheet>
  );
}

function ModelFacts({ words, of }: { words: Words; of: OperatedModel }) {
  const tokens = (size: number) => size > 0 && count(size);
  return (
    <FactList
      facts={[
        [words.model, <code key="model">{of.model}</code>],
        [words.names, of.aliases],
        [words.maker, of.owned_by],
        [words.can, of.capabilities],
        [words.context, tokens(of.context_tokens)],
        [words.output, tokens(of.output_tokens)],
        [words.plans, of.plans],
        [words.discount, of.discount_rate !== "1" && words.times(of.discount_rate)],
        [words.version, <code key="version">{of.price_version}</code>],
        [words.priceOf, of.price_of],
        [words.source, of.price_source],
      ]}
    />
  );
}

function Prices({ words, price }: { words: Words; price: Price | null }) {
  if (!price) return <p class="faint">–</p>;
  return (
    <Table
      caption={words.prices}
      rows={priceLines(price)}
      keyOf={(line) => JSON.stringify(line)}
      columns={[
        [words.what, (line) => nameOf(line, words)],
        [words.per, ({ per }) => per && words.units[per], "wide"],
        [
          words.price,
          ({ points, factor }) => (points === undefined ? words.times(factor ?? "1") : allPoints(points)),
          "number",
        ],
      ]}
    />
  );
}

/** What a line of a price is for, in the catalog's own names. */
function nameOf({ what, detail, size, way }: PriceLine, words: Words): string {
  const names = [...(way ?? []), what, detail].filter(Boolean).join(" ").replaceAll("_", " ");
  return size && size.from > 0 ? `${names}, ${words.above(count(size.from))}` : names;
}

function Channels({ words, of }: { words: Words; of: OperatedModel }) {
  return (
    <Table
      caption={words.channels}
      rows={of.channels}
      keyOf={({ id }) => id}
      columns={[
        [
          words.channel,
          ({ id }) => (
            <a href={`${channelsPage.path}/${encodeURIComponent(id)}`}>
              <code>{id}</code>
            </a>
          ),
        ],
        [words.provider, ({ provider }) => provider],
        [words.name, ({ name }) => <code>{name}</code>, "wide"],
        [words.priority, ({ priority, weight }) => `${priority}, ${weight}`, "number wide"],
      ]}
    />
  );
}
