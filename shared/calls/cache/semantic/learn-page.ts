/** Notes kept entries on the pages of their context (shared/calls/cache/semantic/README.md "The learner"). */
import { pause } from "../../../base/platform/pause.ts";
import { type Neighbour, openPage, type PagePlace, sealPage, withNeighbour } from "./page.ts";
import type { ContextPlace, SemanticStore } from "./store.ts";

/** How often a page is read and written, until another writer does not come between. */
const triesMax = 5;

/** Notes entries on one page; false where other writers always came between. A page that does not open begins anew. */
export async function noteEntries(
  place: ContextPlace & PagePlace,
  page: string,
  added: readonly Neighbour[],
  contexts: Pick<SemanticStore, "readPage" | "putPage">,
  now: () => number,
): Promise<boolean> {
  for (let attempt = 0; attempt < triesMax; attempt++) {
    if (attempt > 0) await pause(Math.random() * 20 * 2 ** attempt);
    const stored = await contexts.readPage(place, page);
    const known = stored ? recordsOf(place, page, stored.bytes) : [];
    const fresh = added.filter((each) => !known.some((record) => isSame(record, each)));
    if (fresh.length === 0) return true;
    const records = fresh.reduce((all, each) => withNeighbour(all, each, now()), known);
    const bytes = sealPage(place, page, records);
    const until = Math.max(...records.map((record) => record.until));
    if (await contexts.putPage(place, page, { bytes, version: stored?.version ?? 0, until })) return true;
  }
  return false;
}

function recordsOf(place: PagePlace, page: string, bytes: Buffer): Neighbour[] {
  try {
    return openPage(place, page, bytes);
  } catch {
    return [];
  }
}

function isSame(one: Neighbour, other: Neighbour): boolean {
  return one.name === other.name && one.until === other.until && one.sketch.equals(other.sketch);
}
