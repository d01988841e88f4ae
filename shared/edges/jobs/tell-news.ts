/** Once a minute: makes deliveries of new lines of the audit log, and attempts those that are due (people/news/README.md). */
import { eachOf } from "../../base/platform/each-of.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import { newsLimits } from "../../people/news/bounds.ts";
import { type DeliverDeps, deliver } from "../../people/news/deliver.ts";
import {
  type DeliveryStore,
  type DueDelivery,
  type NewsLines,
  newDelivery,
} from "../../people/news/delivery.ts";
import {
  type DueOrganization,
  isEnabled,
  isTold,
  type WebhookStore,
  type Webhooks,
} from "../../people/news/webhook.ts";

export interface NewsDeps extends DeliverDeps {
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  lines: NewsLines;
  log: Log;
}

/** What a run came to. `left`: deliveries that were due and not attempted. */
export interface NewsTold {
  organizations: number;
  made: number;
  delivered: number;
  failed: number;
  left: number;
}

/** One run, bounded in time and in what it reads. Never rejects: the same invocation books payments. */
export async function tellNews(deps: NewsDeps): Promise<NewsTold> {
  const told: NewsTold = { organizations: 0, made: 0, delivered: 0, failed: 0, left: 0 };
  try {
    const until = deps.now() + newsLimits.runMs;
    const made = await makeDeliveries(until, told, deps);
    await attemptDeliveries(made, until, told, deps);
    if (told.organizations > 0) deps.log("info", "news_told", { ...told });
  } catch (error) {
    logFailed(error, null, deps);
  }
  return told;
}

/** Looks through the logs of the organizations that are due, and gives the deliveries that it has made. */
async function makeDeliveries(until: number, told: NewsTold, deps: NewsDeps): Promise<DueDelivery[]> {
  const due = await deps.webhooks.due(deps.now(), newsLimits.organizationsMax);
  const made: DueDelivery[] = [];
  await eachOf(due, newsLimits.atOnceMax, async (each) => {
    if (deps.now() >= until) return;
    try {
      made.push(...(await lookAt(each, deps)));
      told.organizations += 1;
    } catch (error) {
      logFailed(error, each.organization, deps);
    }
  });
  told.made = made.length;
  return made;
}

/** Claims an organization, and makes a delivery of each line that a webhook is told and has none of. */
async function lookAt(due: DueOrganization, deps: NewsDeps): Promise<DueDelivery[]> {
  const now = deps.now();
  const next = now + newsLimits.lookGapMs;
  if (!(await deps.webhooks.claim(due, next))) return [];
  const { organization } = due;
  const webhooks = await deps.webhooks.of(organization);
  const enabled = webhooks.list.filter(isEnabled);
  if (enabled.length === 0) {
    await deps.webhooks.looked(organization, now, null);
    return [];
  }
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
  { organization, told_to }: Webhooks,
  last: number | undefined,
  now: number,
  deps: NewsDeps,
): Promise<void> {
  if (last !== undefined) {
    deps.log("error", "news_hurried", { organization });
    await deps.webhooks.looked(organization, last + newsLimits.lineLateMs, now);
  } else if (now - told_to > newsLimits.noteGapMs)
    await deps.webhooks.looked(organization, now, now + newsLimits.lookGapMs);
}

/** Attempts what was made now, and what is due. */
async function attemptDeliveries(
  made: readonly DueDelivery[],
  until: number,
  told: NewsTold,
  deps: NewsDeps,
): Promise<void> {
  // The index may not have what was made a moment ago.
  const due = await deps.deliveries.due(deps.now(), newsLimits.deliveriesMax);
  const all = new Map([...made, ...due].map((each) => [placeOf(each), each]));
  const lines = Map.groupBy(all.values(), ({ organization, webhook }) => `${organization} ${webhook}`);
  told.left = all.size;
  await eachOf([...lines.values()], newsLimits.atOnceMax, async (line) => {
    const [{ organization }] = line as [DueDelivery];
    try {
      if (deps.now() < until) await attemptLine(line, until, told, deps);
    } catch (error) {
      logFailed(error, organization, deps);
    }
  });
}

/** Attempts the deliveries of one webhook. After one that failed, the others wait: a run needs time for other webhooks. */
async function attemptLine(
  line: readonly DueDelivery[],
  until: number,
  told: NewsTold,
  deps: NewsDeps,
): Promise<void> {
  const [{ organization, webhook: id }] = line as [DueDelivery];
  const { list } = await deps.webhooks.of(organization);
  const webhook = list.find((each) => each.id === id);
  let hasFailed = false;
  await eachOf(line, newsLimits.ofWebhookAtOnceMax, async (each) => {
    if (deps.now() >= until) return;
    const claimed = deps.now() + (hasFailed ? newsLimits.deferMs : newsLimits.claimMs);
    const isWaiting = hasFailed;
    const delivery = await deps.deliveries.claim(each, claimed);
    if (!delivery || isWaiting) return;
    told.left -= 1;
    if (!webhook || !isEnabled(webhook)) {
      await deps.deliveries.end({ ...delivery, state: "dropped", due_at: null }, claimed);
      return;
    }
    const { last } = await deliver(delivery, webhook, claimed, deps);
    hasFailed ||= last?.failure !== null;
    told[last?.failure === null ? "delivered" : "failed"] += 1;
  });
}

function placeOf({ organization, webhook, message }: DueDelivery): string {
  return `${organization} ${webhook} ${message}`;
}

function logFailed(error: unknown, organization: string | null, { log }: NewsDeps): void {
  log("error", "news_failed", { ...(organization && { organization }), error: describeError(error) });
}
