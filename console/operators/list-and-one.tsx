import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useListBehind } from "../list-behind.ts";
import { changes } from "./signed-in.ts";

interface ListAndOneProps {
  /** The path of the list, and what follows it: the id of one thing, or nothing. */
  path: string;
  rest: string;
  /** Draws the list. `asked` is its query. */
  list: (asked: URLSearchParams) => ComponentChildren;
  /** Draws one thing. `back` leads to the list as it was. */
  one: (id: string, back: string) => ComponentChildren;
}

/** A list that stays behind what is opened from it: some lists are dear to read. After a write it is read anew. */
export function ListAndOne({ path, rest, list, one }: ListAndOneProps) {
  const asked = useListBehind(rest, path);
  const version = useRef(changes.value);
  if (!rest) version.current = changes.value;
  return (
    <>
      {rest && <div key={rest}>{one(decoded(rest), `${path}?${asked ?? ""}`)}</div>}
      {asked && (
        <div key={`list ${version.current}`} hidden={rest !== ""}>
          {list(asked)}
        </div>
      )}
    </>
  );
}

/** An id as it stands in an address; as it is where somebody has typed a stray `%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
