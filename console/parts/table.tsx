import type { ComponentChildren } from "preact";

interface TableColumn<Row> {
  name: string;
  /** The name is only read aloud: buttons say themselves what they do. */
  isUnseen?: boolean;
  cell: (row: Row) => ComponentChildren;
  /** `number`: figures stand at the right. `wide`: a phone does without it. */
  look?: "number" | "wide" | "number wide";
}

interface TableProps<Row> {
  /** Names the table for who does not see it. */
  caption: string;
  columns: TableColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** The last row, which adds the others up. */
  foot?: Row;
  /** A row that does not count any more, such as a revoked key. */
  isOff?: (row: Row) => boolean;
}

/** A table. It can be scrolled sideways where it is too wide. The first cell of a row is its heading. */
export function Table<Row>({ caption, columns, rows, keyOf, foot, isOff }: TableProps<Row>) {
  const cells = (row: Row) =>
    columns.map(({ look, cell }, at) => {
      const Cell = at === 0 ? "th" : "td";
      return (
        <Cell key={at} scope={at === 0 ? "row" : undefined} class={look}>
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
            {columns.map(({ name, isUnseen, look }, at) => (
              <th key={at} scope="col" class={look}>
                {isUnseen ? <span class="unseen">{name}</span> : name}
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
