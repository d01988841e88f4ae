import type { ComponentType } from "preact";
import { useRef } from "preact/hooks";
import { useListBehind } from "../list-behind.ts";
import type { PageProps } from "../page.ts";
import { changes } from "./signed-in.ts";

/** What a list is drawn with. */
interface ListProps<Words> {
  words: Words;
  /** The list's query. */
  asked: URLSearchParams;
}

/** What one thing of a list is drawn with. `back` leads to the list as it was. */
export interface OneProps<Words> {
  words: Words;
  id: string;
  back: string;
}

/**
 * The page of a list below `path`, and of one thing where an id follows it. The list stays behind what is opened from it:
 * some lists are dear to read. After a write it is read anew.
 */
export function listAndOne<Words>(
  path: string,
  List: ComponentType<ListProps<Words>>,
  One: ComponentType<OneProps<Words>>,
) {
  return function Page({ words, rest }: PageProps<Words>) {
    const asked = useListBehind(rest, path);
    const version = useRef(changes.value);
    if (!rest) version.current = changes.value;
    return (
      <>
        {rest && (
          <div key={rest}>
            <One words={words} id={decoded(rest)} back={`${path}?${asked ?? ""}`} />
          </div>
        )}
        {asked && (
          <div key={`list ${version.current}`} hidden={rest !== ""}>
            <List words={words} asked={asked} />
          </div>
        )}
      </>
    );
  };
}

/** An id as it stands in an address; as it is where somebody has typed a stray `%`. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
