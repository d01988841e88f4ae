/** What a model costs: tables of what is counted, then what a request may switch on, and where the price was read. */
import type { Price } from "../../../../shared/books/billing/pricing/price.ts";
import type { Model } from "../../../api-types.ts";
import { allPoints, count, day } from "../../../format.ts";
import { type PriceLine, type PriceTable, priceCard, priceLines, type Size } from "../../../model-price.ts";
import { Section } from "../../../parts/sheet.tsx";
import { Table, type TableColumn } from "../../../parts/table.tsx";

type Words = typeof import("./en.ts").words;

export function PriceCard({ words, model }: { words: Words; model: Model }) {
  const { price, discount_rate, price_source } = model;
  if (!price) return null;
  const { tables, others } = priceCard(priceLines(price as Price));
  return (
    <Section title={words.priceCard} lead={words.priceLead}>
      <div class="stack">
        {discount_rate !== "1" && <p>{words.discount(allPoints(discount_rate))}</p>}
        {tables.map((table) => (
          <Counted key={captionOf(words, table)} words={words} table={table} />
        ))}
        {others.length > 0 && <Others words={words} lines={others} />}
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

const wayText = (words: Words, [kind, name]: readonly [string, string]) =>
  `${words.ways[kind] ?? kind} ${name}`.trim();

const captionOf = (words: Words, { way }: PriceTable) => (way ? wayText(words, way) : words.priceCard);

function Counted({ words, table }: { words: Words; table: PriceTable }) {
  const { way, sizes, rows } = table;
  return (
    <>
      {way && <h3>{wayText(words, way)}</h3>}
      <Table
        caption={captionOf(words, table)}
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

function Others({ words, lines }: { words: Words; lines: PriceLine[] }) {
  return (
    <details class="figures">
      <summary>{words.others(count(lines.length))}</summary>
      <Table
        caption={words.others(count(lines.length))}
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
