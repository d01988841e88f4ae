/** Which page the address is. Links of our own open without loading. */

import { pageAt } from "./page.ts";
import { pages } from "./pages.ts";
import { computed, signal } from "./state.ts";

const here = () => location.pathname + location.search;

/** Path and query of the address. */
export const address = signal(here());

const url = computed(() => new URL(address.value, location.origin));
export const place = computed(() => pageAt(pages.value, url.value.pathname));
export const query = computed(() => url.value.searchParams);

/** How far the page was scrolled that was left last. */
export let leftAt = 0;

/** Opens a path. `replace`: the reader does not come back to the one before. */
export function go(path: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  address.value = here();
  if (replace) return;
  leftAt = scrollY;
  scrollTo(0, 0);
}

/** Changes parameters of the address and stays on the page. An empty value takes one away. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const next = new URL(url.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.searchParams.set(name, value);
    else next.searchParams.delete(name);
  }
  go(next.pathname + next.search, { replace: true });
}

/** A plain click on a link of ours, and nothing that the browser does better. */
function linkOf(event: MouseEvent): HTMLAnchorElement | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return undefined;
  const isOurs = link.origin === location.origin && pageAt(pages.value, link.pathname) !== undefined;
  // A link into the same page moves the focus, which is the browser's work.
  return isOurs && !(link.hash && link.pathname === location.pathname) ? link : undefined;
}

/** Listens to links and to the browser's back button. */
export function startRouter(): void {
  addEventListener("popstate", () => {
    address.value = here();
  });
  document.addEventListener("click", (event) => {
    const link = linkOf(event);
    if (!link) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}
