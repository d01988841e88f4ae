import type { ComponentChildren } from "preact";

interface TableColumn<Row> {
  name: ComponentChildren;
  /** Names itself for its key, where `name` is no text. */
  id?: string;
  cell: (row: Row) => ComponentChildren;
  /** Figures stand at the right. */
  isNumber?: boolean;
  /** A phone does without it. */
  isWide?: boolean;
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

const classOf = ({ isNumber, isWide }: { isNumber?: boolean; isWide?: boolean }): string =>
  `${isNumber ? "number " : ""}${isWide ? "wide" : ""}`;

/** A table. It can be scrolled sideways where it is too wide. The first cell of a row is its heading. */
export function Table<Row>({ caption, columns, rows, keyOf, foot, isOff }: TableProps<Row>) {
  const cells = (row: Row) =>
    columns.map((column, at) => {
      const key = column.id ?? String(column.name);
      return at === 0 ? (
        <th key={key} scope="row" class={classOf(column)}>
          {column.cell(row)}
        </th>
      ) : (
        <td key={key} class={classOf(column)}>
          {column.cell(row)}
        </td>
      );
    });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it with the arrow keys.
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id ?? String(column.name)} scope="col" class={classOf(column)}>
                {column.name}
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
