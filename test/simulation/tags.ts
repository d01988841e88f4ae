/** The tags of calls. They follow from a call's id and key, so that each entry can be compared with what was asked. */
import { bareId } from "#shared/base/platform/id.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import type { Key } from "./world.ts";

/** The default of every other key, by its number. */
export function keyTags(number: number): { defaults?: { tags: string } } {
  return number % 2 === 0 ? {} : { defaults: { tags: `feature=chat,team=t${number}` } };
}

/** The header of about half of the calls. */
export function tagHeader(id: string): Record<string, string> {
  const own = ownTags(id);
  return own === undefined ? {} : { "x-gateway-tags": `team=own, ${own}` };
}

function ownTags(id: string): string | undefined {
  const end = bareId(id).slice(-5);
  return end.at(-1) !== undefined && (end.at(-1) ?? "") < "G" ? `call=${end}` : undefined;
}

/** What is wrong with the tags of an entry's event. A header's `team` wins over its key's. */
export function tagGaps({ id, tags }: UsageEvent, { record }: Key): string[] {
  const own = ownTags(id);
  const { tags: usual } = record.defaults ?? {};
  const most = own && (usual ? `${own},feature=chat,team=own` : `${own},team=own`);
  const must = most ?? usual;
  return tags === must ? [] : [`${id} has the tags ${tags}, and was asked with ${must}`];
}
