/** Attempts of one organization's deliveries in one run: its share, in turns of its targets. */

import { eachOf } from "../../base/platform/each-of.ts";
import { isId } from "../../base/platform/id.ts";
import { newsLimits } from "../../people/news/bounds.ts";
import { type DeliverDeps, deliver } from "../../people/news/deliver.ts";
import { attemptEvent, type EventAttemptDeps, eventsTarget } from "../../people/news/deliver-event.ts";
import { attemptMail, type MailAttemptDeps } from "../../people/news/deliver-mail.ts";
import type {
  DeliveryStore,
  DueDelivery,
  MessageDelivery,
  TimedDelivery,
} from "../../people/news/delivery.ts";
import type { MailPace } from "../../people/news/mail-pace.ts";
import { isEnabled, type Webhook, type Webhooks } from "../../people/news/webhook.ts";

export interface AttemptsDeps extends DeliverDeps, EventAttemptDeps, MailAttemptDeps {
  deliveries: DeliveryStore;
  /** Mails of this run. */
  pace: MailPace;
}

/** What the attempts of a run came to. `left`: deliveries that were due and not attempted. */
export interface Attempted {
  delivered: number;
  failed: number;
  left: number;
}

/**
 * Attempts what is due of an organization's waiting deliveries, as far as its share goes, and begins none after `until`.
 * Gives when the next one of them is due; null: none waits any more.
 */
export async function attemptShare(
  webhooks: Webhooks,
  waiting: readonly DueDelivery[],
  until: number,
  told: Attempted,
  deps: AttemptsDeps,
): Promise<number | null> {
  const now = deps.now();
  const due = waiting.filter(({ due_at }) => due_at <= now);
  const share = inTurns(due).slice(0, newsLimits.attemptsMax);
  const nexts = [
    ...waiting.filter(({ due_at }) => due_at > now).map(({ due_at }) => due_at),
    // What is left is due again at once.
    ...(due.length > share.length ? [now] : []),
  ];
  told.left += due.length;
  const ofTargets = [...Map.groupBy(share, ({ target }) => target).values()];
  await eachOf(ofTargets, newsLimits.targetsAtOnceMax, async (ofOne) => {
    nexts.push(...(await attemptLine(webhooks, ofOne, until, told, deps)));
  });
  return nexts.length === 0 ? null : Math.min(...nexts);
}

/** These deliveries in turns: the first of each target, then the second of each. */
function inTurns(due: readonly DueDelivery[]): DueDelivery[] {
  const ofTargets = [...Map.groupBy(due, ({ target }) => target).values()];
  const longest = Math.max(0, ...ofTargets.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => ofTargets.flatMap((each) => each[turn] ?? [])).flat();
}

/**
 * Attempts the deliveries of one target. After one that failed, the others wait: the run needs time for other targets.
 * Gives when those that still wait are due.
 */
async function attemptLine(
  { list }: Webhooks,
  line: readonly DueDelivery[],
  until: number,
  told: Attempted,
  deps: AttemptsDeps,
): Promise<number[]> {
  const attempt = attemptOn(list, line[0]?.target ?? "", deps);
  const nexts: number[] = [];
  let hasFailed = false;
  await eachOf(line, newsLimits.ofTargetAtOnceMax, async (each) => {
    if (deps.now() >= until) return void nexts.push(each.due_at);
    if (isId(each.target, "user") && !deps.pace.take(each.organization)) return void nexts.push(each.due_at);
    const isWaiting = hasFailed;
    const claimed = deps.now() + (isWaiting ? newsLimits.deferMs : newsLimits.claimMs);
    const delivery = await deps.deliveries.claim(each, claimed);
    if (!delivery || isWaiting) return void nexts.push(claimed);
    told.left -= 1;
    const { state, last, due_at } = await attempt(delivery, claimed);
    if (state === "dropped") return;
    if (due_at !== null) nexts.push(due_at);
    hasFailed ||= last?.failure !== null;
    told[last?.failure === null ? "delivered" : "failed"] += 1;
  });
  return nexts;
}

/** How a delivery to this target is attempted: to the event bus, by mail to a user, or to a webhook that is enabled. */
function attemptOn(list: readonly Webhook[], target: string, deps: AttemptsDeps) {
  const webhook = list.find(({ id }) => id === target);
  return async (delivery: MessageDelivery, claimed: number): Promise<TimedDelivery> => {
    if (webhook && isEnabled(webhook)) {
      const after = await deliver(delivery, webhook, claimed, deps);
      const { organization } = delivery;
      const error = `a message for ${target} could not be sent, and it is our fault`;
      if (after.last?.failure === "our_fault") deps.log("error", "news_failed", { organization, error });
      return after;
    }
    const after = (await attemptBeside(delivery, deps)) ?? { ...delivery, state: "dropped", due_at: null };
    await deps.deliveries.end(after, claimed);
    return after;
  };
}

/** An attempt at a target that is no webhook. Undefined where nobody is to get it any more. */
async function attemptBeside(
  delivery: MessageDelivery,
  deps: AttemptsDeps,
): Promise<TimedDelivery | undefined> {
  if (delivery.target === eventsTarget) return await attemptEvent(delivery, deps);
  return isId(delivery.target, "user") ? await attemptMail(delivery, deps) : undefined;
}
