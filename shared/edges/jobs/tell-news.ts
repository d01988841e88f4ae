/**
 * Once a minute: makes deliveries of new lines of the audit log, and attempts those that are due, each organization in a
 * place of its own (people/news/README.md "A fair run").
 */

import { eachOf } from "../../base/platform/each-of.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import { pause } from "../../base/platform/pause.ts";
import { newsLimits } from "../../people/news/bounds.ts";
import { type DueDelivery, type NewsLines, newDelivery } from "../../people/news/delivery.ts";
import { createMailPace } from "../../people/news/mail-pace.ts";
import {
  type DueOrganization,
  isEnabled,
  isTold,
  type WebhookStore,
  type Webhooks,
} from "../../people/news/webhook.ts";
import { type Attempted, type AttemptsDeps, attemptShare } from "./news-attempts.ts";
import { type EventLines, linesForEvents, makeEvents, noteTold } from "./news-events.ts";
import { linesForMails, makeMails } from "./news-mails.ts";

export interface NewsDeps extends Omit<AttemptsDeps, "pace"> {
  webhooks: WebhookStore;
  lines: NewsLines;
  log: Log;
}

/** What a run came to. */
export interface NewsTold extends Attempted {
  organizations: number;
  made: number;
}

/** One run, bounded in time and in what it reads. Never rejects: the same invocation books payments. */
export async function tellNews(deps: NewsDeps): Promise<NewsTold> {
  const told: NewsTold = { organizations: 0, made: 0, delivered: 0, failed: 0, left: 0 };
  try {
    const until = deps.now() + newsLimits.runMs;
    const run = { ...deps, pace: createMailPace(deps.mail?.pause ?? pause) };
    const events = await linesForEvents(deps.now(), deps);
    if (events?.isFull) deps.log("error", "news_hurried", { count: newsLimits.eventLinesMax });
    await eachOf(await placesOf(events, deps), newsLimits.organizationsAtOnceMax, async (each) => {
      if (deps.now() >= until) return;
      try {
        await tellOne(each, until, told, run);
      } catch (error) {
        logFailed(error, each.organization, deps);
      }
    });
    if (events) await noteTold(events, deps.now(), deps);
    if (told.organizations > 0) deps.log("info", "news_told", { ...told });
  } catch (error) {
    logFailed(error, null, deps);
  }
  return told;
}

/** What a run has to do with one organization. */
interface NewsPlace {
  organization: string;
  /** Its minute has come. */
  due: DueOrganization | undefined;
  /** Lines of the last hour that its people get by mail. */
  mailed: readonly string[];
  /** Lines for the event bus; undefined where the stage has none. */
  events: EventLines | undefined;
}

/**
 * The longest due first, so whoever a run has left is in front of the next one. In turns with them come those that have
 * new lines alone, whose oldest line is first.
 */
async function placesOf(events: EventLines | undefined, deps: NewsDeps): Promise<NewsPlace[]> {
  const now = deps.now();
  const [due, mailed] = await Promise.all([
    deps.webhooks.due(now, newsLimits.organizationsMax),
    linesForMails(now, deps),
  ]);
  const known = new Map(due.map((each) => [each.organization, each]));
  const others = [...new Set([...mailed.keys(), ...(events?.byOrganization.keys() ?? [])])].filter(
    (organization) => !known.has(organization),
  );
  return inTurns([...known.keys()], others).map((organization) => ({
    organization,
    due: known.get(organization),
    mailed: mailed.get(organization) ?? [],
    events,
  }));
}

/** The first of each list, then the second of each, and so on. */
function inTurns(...lists: readonly string[][]): string[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list[turn] ?? [])).flat();
}

/** Claims an organization that is due, makes its deliveries, and attempts its share of those that wait. */
async function tellOne(
  { organization, due, mailed, events }: NewsPlace,
  until: number,
  told: NewsTold,
  deps: NewsDeps & Pick<AttemptsDeps, "pace">,
): Promise<void> {
  const now = deps.now();
  const isLooked = due !== undefined && (await deps.webhooks.claim(due, now + newsLimits.lookGapMs));
  const made = events ? await makeEvents(organization, events, now, deps) : [];
  made.push(...(await makeMails(organization, mailed, now, deps)));
  if (!isLooked && made.length === 0) return;
  told.organizations += 1;
  const webhooks = await deps.webhooks.of(organization);
  if (isLooked && webhooks.list.some(isEnabled)) made.push(...(await makeDeliveries(webhooks, now, deps)));
  told.made += made.length;
  const waiting = isLooked ? await deps.deliveries.waiting(organization, newsLimits.waitingMax) : [];
  // The index may not have what was made a moment ago.
  const known = new Map([...made, ...waiting].map((each) => [`${each.target} ${each.message}`, each]));
  const last = Math.min(until, now + newsLimits.ofOrganizationMs);
  const next = await attemptShare(webhooks, [...known.values()], last, told, deps);
  if (isLooked && !webhooks.list.some(isEnabled)) await deps.webhooks.looked(webhooks, now, next);
}

/** Makes a delivery of each line that a webhook is told and has none of. */
async function makeDeliveries(webhooks: Webhooks, now: number, deps: NewsDeps): Promise<DueDelivery[]> {
  const { organization } = webhooks;
  const enabled = webhooks.list.filter(isEnabled);
  const from =
    Math.max(webhooks.told_to, Math.min(...enabled.map(({ since }) => since))) - newsLimits.lineLateMs;
  const lines = await deps.lines.since(organization, from, newsLimits.linesMax);
  const made: DueDelivery[] = [];
  for (const webhook of enabled) {
    const wanted = lines.filter((line) => isTold(webhook, line));
    if (wanted.length === 0) continue;
    const known = await deps.deliveries.known(organization, webhook.id, from);
    await eachOf(
      wanted.filter(({ id }) => !known.has(id)),
      newsLimits.atOnceMax,
      async (line) => {
        const delivery = newDelivery(webhook.id, line, now);
        if (await deps.deliveries.make(delivery, now)) made.push({ ...delivery, due_at: now });
      },
    );
  }
  await noteLooked(webhooks, lines.length === newsLimits.linesMax ? lines.at(-1)?.at : undefined, now, deps);
  return made;
}

/**
 * Notes how far the log is told. That costs a write, so it is done only now and then. Where the log is so full that one
 * read did not come to its end, the next run goes on behind the last line of this one, and waits for no late lines.
 */
async function noteLooked(
  webhooks: Webhooks,
  last: number | undefined,
  now: number,
  deps: NewsDeps,
): Promise<void> {
  if (last !== undefined) {
    deps.log("error", "news_hurried", { organization: webhooks.organization });
    await deps.webhooks.looked(webhooks, last + newsLimits.lineLateMs, now);
  } else if (now - webhooks.told_to > newsLimits.noteGapMs)
    await deps.webhooks.looked(webhooks, now, now + newsLimits.lookGapMs);
}

function logFailed(error: unknown, organization: string | null, { log }: NewsDeps): void {
  log("error", "news_failed", { ...(organization && { organization }), error: describeError(error) });
}
