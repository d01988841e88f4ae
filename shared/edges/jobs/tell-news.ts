/**
 * Once a minute: makes deliveries of new lines of the audit log, and attempts those that are due, each organization in a
 * place of its own (people/news/README.md "A fair run").
 */
import { describeError, type Log } from "../../base/platform/log.ts";
import { newsLimits } from "../../people/news/bounds.ts";
import { type DueDelivery, type NewsLines, newDelivery } from "../../people/news/delivery.ts";
import {
  type DueOrganization,
  isEnabled,
  isTold,
  type WebhookStore,
  type Webhooks,
} from "../../people/news/webhook.ts";
import { type Attempted, type AttemptsDeps, attemptShare } from "./news-attempts.ts";
import { eachOf } from "../../base/platform/each-of.ts";

export interface NewsDeps extends AttemptsDeps {
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
    const due = await deps.webhooks.due(deps.now(), newsLimits.organizationsMax);
    // The longest due begin first, so whoever a run has left is in front of the next one.
    await eachOf(due, newsLimits.organizationsAtOnceMax, async (each) => {
      if (deps.now() >= until) return;
      try {
        await tellOne(each, until, told, deps);
      } catch (error) {
        logFailed(error, each.organization, deps);
      }
    });
    if (told.organizations > 0) deps.log("info", "news_told", { ...told });
  } catch (error) {
    logFailed(error, null, deps);
  }
  return told;
}

/** Claims an organization, makes its deliveries, and attempts its share of those that are due. */
async function tellOne(due: DueOrganization, until: number, told: NewsTold, deps: NewsDeps): Promise<void> {
  const now = deps.now();
  if (!(await deps.webhooks.claim(due, now + newsLimits.lookGapMs))) return;
  told.organizations += 1;
  const webhooks = await deps.webhooks.of(due.organization);
  const made = webhooks.list.some(isEnabled) ? await makeDeliveries(webhooks, now, deps) : [];
  told.made += made.length;
  const waiting = await deps.deliveries.waiting(due.organization, newsLimits.waitingMax);
  // The index may not have what was made a moment ago.
  const known = new Map([...made, ...waiting].map((each) => [`${each.target} ${each.message}`, each]));
  const all = [...known.values()];
  const next = await attemptShare(
    webhooks,
    all,
    Math.min(until, now + newsLimits.ofOrganizationMs),
    told,
    deps,
  );
  if (!webhooks.list.some(isEnabled)) await deps.webhooks.looked(webhooks, now, next);
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
