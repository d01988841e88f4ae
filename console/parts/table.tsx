import type { ComponentChildren } from "preact";

/** A column. `number`: figures stand at the right. `wide`: phones do without. `acts`: the name is only read aloud. */
export type TableColumn<Row> = readonly [
  name: string,
  cell: (row: Row) => ComponentChildren,
  look?: "number" | "wide" | "number wide" | "acts",
];

interface TableProps<Row> {
  /** Names the table for who does not see it. */
  caption: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** The last row, which adds the others up. */
  foot?: Row;
  /** A row that does not count any more, such as a revoked key. */
  isOff?: (row: Row) => boolean;
}

const classOf = (look: string | undefined) => (look === "acts" ? "number" : look);

/** A table. It can be scrolled sideways where it is too wide. The first cell of a row is its heading. */
export function Table<Row>({ caption, columns, rows, keyOf, foot, isOff }: TableProps<Row>) {
  const cells = (row: Row) =>
    columns.map(([, cell, look], at) => {
      const Cell = at === 0 ? "th" : "td";
      return (
        <Cell key={at} scope={at === 0 ? "row" : undefined} class={classOf(look)}>
          {cell(row)}
        </Cell>
      );
    });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it with the arrow keys.
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(([name, , look], at) => (
              <th key={at} scope="col" class={classOf(look)}>
                {look === "acts" ? <span class="unseen">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={isOff?.(row) ? "off" : undefined}>
              {cells(row)}
            </tr>
          ))}
        </tbody>
        {foot && (
          <tfoot>
            <tr>{cells(foot)}</tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}
