import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count } from "../format.ts";
import { Field } from "../parts/field.tsx";
import { Empty } from "../parts/note.tsx";
import { query, setQuery } from "../router.ts";
import { rowsWith } from "./rows-with.ts";

/** How many rows of a long list are drawn. */
const shownMax = 100;

interface SoughtProps<Row> {
  words: {
    filter: string;
    left: (left: string, all: string) => string;
    shown: (count: string) => string;
    none: string;
    noneLead: string;
  };
  rows: readonly Row[];
  /** The names by which a row is found. */
  namesOf: (row: Row) => readonly string[];
  children: (rows: readonly Row[]) => ComponentChildren;
}

/** A list that came whole, and a field that leaves the rows with a text in a name. The address has the text. */
export function Sought<Row>({ words, rows, namesOf, children }: SoughtProps<Row>) {
  const [text, setText] = useState(query.value.get("q") ?? "");
  const left = rowsWith(text, rows, namesOf);
  const change = (next: string) => {
    setText(next);
    setQuery({ q: next });
  };
  return (
    <>
      <div class="filters">
        <Field label={words.filter} value={text} onValue={change} autocomplete="off" maxLength={200} />
      </div>
      <p role="status" class="faint">
        {words.left(count(left.length), count(rows.length))}
        {left.length > shownMax && ` ${words.shown(count(shownMax))}`}
      </p>
      {left.length > 0 ? (
        children(left.slice(0, shownMax))
      ) : (
        <Empty title={words.none}>{words.noneLead}</Empty>
      )}
    </>
  );
}
