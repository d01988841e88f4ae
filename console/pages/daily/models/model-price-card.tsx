/** What a model costs: tables of what is counted, then what a request may switch on, and where the price was read. */
import type { Price } from "../../../../shared/books/billing/pricing/price.ts";
import type { Model } from "../../../api-types.ts";
import { allPoints, count, day } from "../../../format.ts";
import { type PriceLine, type PriceTable, priceCard, priceLines, type Size } from "../../../model-price.ts";
import { Section } from "../../../parts/sheet.tsx";
import { Table, type TableColumn } from "../../../parts/table.tsx";

type Words = typeof import("./en.ts").words;

export function PriceCard({ words, model }: { words: Words; model: Model }) {
  const { price, price_source, next_price } = model;
  if (!price) return null;
  return (
    <Section title={words.priceCard} lead={words.priceLead}>
      <div class="stack">
        <PriceTables words={words} title={words.priceCard} priced={model} />
        {next_price && (
          <>
            <h3>{words.priceFrom(day(next_price.from))}</h3>
            <PriceTables words={words} title={words.priceFrom(day(next_price.from))} priced={next_price} />
          </>
        )}
        <p class="faint">
          {price_source ? (
            <>
              {words.readOn(day(price_source.as_of))} <span lang="en">{price_source.source}</span>
            </>
          ) : (
            words.noSource
          )}
        </p>
      </div>
    </Section>
  );
}

interface PriceTablesProps {
  words: Words;
  /** What the price is called; all of its tables begin with it. */
  title: string;
  priced: Pick<Model, "price" | "discount_rate">;
}

/** All that calls cost at a price: its discount, what is counted, and what a request may switch on. */
function PriceTables({ words, title, priced: { price, discount_rate } }: PriceTablesProps) {
  const { tables, others } = priceCard(priceLines(price as Price));
  const captionOf = ({ way }: PriceTable) => (way ? `${title}: ${wayText(words, way)}` : title);
  return (
    <>
      {discount_rate !== "1" && <p>{words.discount(allPoints(discount_rate))}</p>}
      {tables.map((table) => (
        <Counted key={captionOf(table)} words={words} caption={captionOf(table)} table={table} />
      ))}
      {others.length > 0 && <Others words={words} title={title} lines={others} />}
    </>
  );
}

const wayText = (words: Words, [kind, name]: readonly [string, string]) =>
  `${words.ways[kind] ?? kind} ${name}`.trim();

function Counted({ words, caption, table }: { words: Words; caption: string; table: PriceTable }) {
  const { way, sizes, rows } = table;
  return (
    <>
      {way && <h3>{wayText(words, way)}</h3>}
      <Table
        caption={caption}
        rows={rows}
        keyOf={({ what, detail }) => `${what} ${detail}`}
        columns={[
          [
            words.what,
            ({ what, detail = "", per }) => (
              <>
                {words.receipt.dimensions[what] ?? what} {detail}
                <div class="faint">{per && words.pers[per]}</div>
              </>
            ),
          ],
          ...sizes.map(
            (size, at): TableColumn<(typeof rows)[number]> => [
              size ? sizeText(words, size) : words.points,
              ({ points }) => (points[at] ? allPoints(points[at]) : "–"),
              "number",
            ],
          ),
        ]}
      />
    </>
  );
}

function sizeText(words: Words, { of, from, to }: Size): string {
  const range = to === null ? words.from(count(from)) : words.upTo(count(to));
  return `${words.sizes[of]} ${range}`;
}

function Others({ words, title, lines }: { words: Words; title: string; lines: PriceLine[] }) {
  return (
    <details class="figures">
      <summary>{words.others(count(lines.length))}</summary>
      <Table
        caption={`${title}: ${words.others(count(lines.length))}`}
        rows={lines}
        keyOf={(line) => JSON.stringify(line)}
        columns={[
          [
            words.what,
            ({ kind, what, detail = "" }) =>
              kind === "tool" ? words.tool(what.replaceAll("_", " ")) : wayText(words, [what, detail]),
          ],
          [
            words.points,
            ({ points, factor = "1" }) => (points ? allPoints(points) : `× ${allPoints(factor)}`),
            "number",
          ],
          [words.per, ({ per }) => (per ? words.pers[per] : words.everyPrice)],
        ]}
      />
    </details>
  );
}
