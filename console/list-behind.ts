/** A list that stays behind the single pages that it leads to, so that the way back leads to the same place. */
import { useEffect, useRef } from "preact/hooks";
import { leftAt, query } from "./router.ts";

/**
 * Gives the query that the list has or had; undefined where the reader came to a single page without it. `rest` follows
 * the list's path. On the way back, the scroll position and the focus are as they were.
 */
export function useListBehind(rest: string, list: string): URLSearchParams | undefined {
  const asked = useRef<URLSearchParams | undefined>(undefined);
  const opened = useRef({ rest: "", at: 0 });
  if (!rest) asked.current = query.value;
  useEffect(() => {
    const { rest: before, at } = opened.current;
    opened.current = { rest, at: before ? at : leftAt };
    if (rest || !before) return;
    scrollTo(0, at);
    document.querySelector<HTMLElement>(`a[href="${list}/${before}"]`)?.focus({ preventScroll: true });
  }, [rest]);
  return asked.current;
}
