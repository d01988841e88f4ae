/**
 * First attempts of one moment go together, each put only where nothing is: it must replace neither a later attempt's
 * nor a barred one. What is not put so is written by itself.
 */
import { GatewayError } from "../../../base/errors.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import type { Intent } from "../../../books/meters/intent.ts";
import type { CallMeters } from "../../../books/meters/meter.ts";
import { insertItems, insertsMax, putItem } from "../dynamodb/items.ts";
import { joining, type Tick, type Waiting } from "../joining.ts";
import { groupsOf } from "./groups.ts";
import { newIntent, upTo } from "./intent.ts";

type WaitingIntent = { intent: Intent } & Waiting<void>;

/** Gives `Meters.intend`, which joins the first attempts of a tick. A later attempt is rare, and goes by itself. */
export function createIntend(aws: Aws, table: string, tick: Tick): CallMeters["intend"] {
  const wait = joining<{ intent: Intent }, void>((askings) => {
    for (const group of groupsOf(askings, areOfTwoCalls, insertsMax)) void intendTogether(aws, table, group);
  }, tick);
  return (intent, attempt = 1) =>
    attempt === 1 ? wait({ intent }) : intendAlone(aws, table, intent, attempt);
}

/** DynamoDB takes no key twice in a request. */
function areOfTwoCalls({ intent }: WaitingIntent, other: WaitingIntent): boolean {
  return intent.request !== other.intent.request;
}

async function intendTogether(aws: Aws, table: string, group: WaitingIntent[]): Promise<void> {
  const written = group.length === 1 ? [false] : await insertTogether(aws, table, group);
  for (const [at, { intent, resolve, reject }] of group.entries()) {
    if (written?.[at]) resolve();
    else if (written) intendAlone(aws, table, intent, 1).then(resolve, reject);
  }
}

/** Which of the intents were put. Undefined where the request failed: then all of them are rejected. */
async function insertTogether(
  aws: Aws,
  table: string,
  group: WaitingIntent[],
): Promise<boolean[] | undefined> {
  try {
    const items = group.map(({ intent }) => newIntent(intent));
    return await insertItems(aws, table, items);
  } catch (error) {
    for (const { reject } of group) reject(error);
    return undefined;
  }
}

async function intendAlone(aws: Aws, table: string, intent: Intent, attempt: number): Promise<void> {
  const { done } = await putItem(aws, table, newIntent(intent, attempt), [upTo(attempt)]);
  if (!done) throw new GatewayError("global_rate_limited");
}
