/** Makes the deliveries of new lines to the stage's event bus (people/news/README.md "The event bus"). */
import { eachOf } from "../../base/platform/each-of.ts";
import { newsLimits } from "../../people/news/bounds.ts";
import { type EventDeps, eventsTarget } from "../../people/news/deliver-event.ts";
import {
  type DeliveryStore,
  type DueDelivery,
  type MarkedLines,
  type NewsLines,
  newDelivery,
} from "../../people/news/delivery.ts";
import type { WebhookStore } from "../../people/news/webhook.ts";

export interface NewsEventDeps {
  webhooks: Pick<WebhookStore, "wake">;
  deliveries: Pick<DeliveryStore, "known" | "make">;
  lines: Pick<NewsLines, "line" | "ofAll">;
  /** Undefined where the stage has no bus. */
  events: EventDeps | undefined;
}

/** The lines that a run looks at for the bus. */
export interface EventLines {
  place: number;
  /** From when on they were read. */
  from: number;
  /** Where the place goes once all of them have their deliveries. */
  told_to: number;
  /** There are more of them than one read has. */
  isFull: boolean;
  byOrganization: Map<string, MarkedLines["lines"]>;
  /** The organizations whose lines have their deliveries. */
  done: Set<string>;
}

/** The lines since the place, and from a quarter of an hour before it. Undefined where the stage has no bus. */
export async function linesForEvents(
  now: number,
  { lines, events }: NewsEventDeps,
): Promise<EventLines | undefined> {
  if (!events) return undefined;
  const place = await events.place.open(now);
  const from = place - newsLimits.lineLateMs;
  const found = await lines.ofAll(from, now, newsLimits.eventLinesMax);
  // Where there are more lines than one read has, the next run goes on behind these, and waits for no late ones.
  const told_to = found.to === null ? now : found.to + newsLimits.lineLateMs;
  const byOrganization = Map.groupBy(found.lines, ({ organization }) => organization);
  return { place, from, told_to, isFull: found.to !== null, byOrganization, done: new Set() };
}

/** Makes a delivery of each line of an organization that has none, and gives them. */
export async function makeEvents(
  organization: string,
  { byOrganization, from, done }: EventLines,
  now: number,
  { deliveries, webhooks, lines }: NewsEventDeps,
): Promise<DueDelivery[]> {
  const own = byOrganization.get(organization);
  if (!own) return [];
  const known = await deliveries.known(organization, eventsTarget, from);
  const fresh = own.filter(({ id }) => !known.has(id));
  // Before they are made: if this run dies, the next one finds what waits.
  if (fresh.length > 0) await webhooks.wake(organization, now + newsLimits.lookGapMs);
  const made: DueDelivery[] = [];
  await eachOf(fresh, newsLimits.atOnceMax, async ({ id }) => {
    const line = await lines.line(organization, id);
    if (!line) return;
    const delivery = newDelivery(eventsTarget, line, now);
    if (await deliveries.make(delivery, now)) made.push({ ...delivery, due_at: now });
  });
  done.add(organization);
  return made;
}

/**
 * Notes how far the bus has been told. Lines of an organization that failed, or that there was no time for, hold the
 * place for an hour. It is a write, so it is done only now and then.
 */
export async function noteTold(
  { place, told_to, isFull, byOrganization, done }: EventLines,
  now: number,
  { events }: Pick<NewsEventDeps, "events">,
): Promise<void> {
  const undone = [...byOrganization.values()].flat().filter(({ organization }) => !done.has(organization));
  const held = undone.map(({ at }) => at).filter((at) => at > now - newsLimits.eventsHeldMs);
  const to = Math.min(told_to, ...held);
  if (to - place > (isFull ? 0 : newsLimits.noteGapMs)) await events?.place.move(place, to);
}
