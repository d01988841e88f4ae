/** What a metered call costs on AWS, from counted calls: capacity units of DynamoDB and requests of SQS. */
import { randomUUID } from "node:crypto";
import { localCredentials } from "#infra/local/function-environment.ts";
import { usageWindowSeconds } from "#infra/queues.ts";
import type { UsageEvent } from "#shared/ledger/usage-event.ts";
import { type Aws, createAws } from "#shared/platform/aws.ts";
import { createLedger } from "#shared/store/ledger/ledger.ts";
import type { LocalGateway } from "#test/support/local.ts";
import { requests } from "./provider.ts";
import type { Counter, Queue } from "./stand-ins.ts";

/** US dollars a million, us-east-1, on demand (billing.md §2.0). */
const prices = {
  writeUnits: 0.625,
  readUnits: 0.125,
  // A message with a group, which keeps one customer's flood off the others', costs 0.10 more on a standard queue.
  queueRequests: 0.4 + 0.1,
};

/** US dollars a million, us-east-1; a GB-second of Lambda on arm64 (aws.md §4.3, §7). */
const taskPrices = { transitions: 25, invocations: 0.2, gigabyteSeconds: 13.3334 };

/** A look at a task waits for the provider; half a second in 256 MB is taken for it. */
const gigabyteSecondsOfALook = 0.25 * 0.5;

/** What the workflow of a million video tasks takes beside their calls: so many polls each, besides the submission. */
export function dollarsOfTasks(polls: number): { transitions: number; invocations: number; dollars: number } {
  // Submit and Done; of each poll Wait, Poll and IsDone.
  const transitions = 2 + 3 * polls;
  const invocations = 1 + polls;
  const dollars =
    transitions * taskPrices.transitions +
    invocations * (taskPrices.invocations + gigabyteSecondsOfALook * taskPrices.gigabyteSeconds);
  return { transitions, invocations, dollars };
}

/** Units and requests that the gateway takes for one call. */
interface Metering {
  /** Admission, intent, the settlement of the hold, and of an idempotency key its claim and its end with the answer. */
  writes: number;
  /** Of the key, seldom. */
  reads: number;
  sends: number;
}

/** Units that the ledger takes for one call's entry, and for a rollup that a batch of them shares. */
interface Recording {
  entry: number;
  rollup: number;
}

/** All that was counted. */
export interface Counted {
  calls: (Metering & Pick<Way, "name">)[];
  recording: Recording;
}

/** What Lambda's poller receives, and deletes, in one request. */
const messagesOfARequest = 10;

/** Dollars a million calls of one model, whose events are settled so many at a time, of so many keys. */
export function dollars(
  { writes, reads, sends }: Metering,
  { entry, rollup }: Recording,
  batch: number,
  keys = 1,
): number {
  const polls = (2 * Math.ceil(batch / messagesOfARequest)) / batch;
  return (
    (writes + entry + (rollup * keys) / batch) * prices.writeUnits +
    reads * prices.readUnits +
    (sends + polls) * prices.queueRequests
  );
}

/** A queue's mapping starts with so many pollers, each with a batch of its own (aws.md §6). */
const pollers = 5;

/**
 * How many events of one customer and model a batch has, at so many calls a second: what comes in the
 * first one's window.
 */
export function batchAt(callsPerSecond: number): number {
  return 1 + (callsPerSecond * usageWindowSeconds) / pollers;
}

/** The least calls a second, in whole ones, from which a million costs so much at most. */
export function rateAt(dollarsMax: number, metering: Metering, recording: Recording): number | undefined {
  const rates = Array.from({ length: 1000 }, (_, i) => i + 1);
  return rates.find((rate) => dollars(metering, recording, batchAt(rate)) <= dollarsMax);
}

/** A way of calling. */
export interface Way {
  name: string;
  key: string;
  /** Holds on the wallet at a time: each makes its item longer, and DynamoDB asks by the kilobyte. */
  inFlight: number;
  headers?: () => Record<string, string>;
}

/** Dollars of a million calls that take so many units of DynamoDB each. */
export function dollarsOfUnits({ writes, reads }: Pick<Metering, "writes" | "reads">): number {
  return writes * prices.writeUnits + reads * prices.readUnits;
}

/** The ways of calling that cost differently. */
export function waysOfCalling(keys: Record<"payg" | "limited" | "sharded", string>): Way[] {
  return [
    { name: "one at a time", key: keys.payg, inFlight: 1 },
    { name: "8 at once", key: keys.payg, inFlight: 8 },
    { name: "64 at once", key: keys.payg, inFlight: 64 },
    {
      name: "with an Idempotency-Key",
      key: keys.payg,
      inFlight: 1,
      headers: () => ({ "idempotency-key": randomUUID() }),
    },
    { name: "on a key with limits", key: keys.limited, inFlight: 1 },
    { name: "on a wallet of 4 shards", key: keys.sharded, inFlight: 1 },
  ];
}

const turns = 10;

/**
 * Makes calls and counts what they take. The gateway's DynamoDB must be the counter, and its queue the one
 * given, which has their events in the end. Stops the gateway.
 */
export async function countCalls(
  gateway: LocalGateway,
  counter: Counter,
  queue: Queue,
  way: Way,
): Promise<Metering> {
  counter.clear();
  queue.messages.length = 0;
  for (let turn = 0; turn < turns; turn++) {
    await Promise.all(Array.from({ length: way.inFlight }, () => callOnce(gateway.url, way)));
  }
  // A hold is settled after its answer has left; a gateway that has ended has settled all of them.
  await gateway.stop();
  const perCall = (...actions: string[]) =>
    actions.reduce((sum, action) => sum + counter.take(action), 0) / (turns * way.inFlight);
  return {
    writes: perCall("UpdateItem", "PutItem", "TransactWriteItems"),
    reads: perCall("GetItem", "Query"),
    sends: queue.messages.length / (turns * way.inFlight),
  };
}

/** Records half of the queue's events one by one and the others together, as the settling function does. */
export async function countRecording(
  gateway: LocalGateway,
  counter: Counter,
  queue: Queue,
): Promise<Recording> {
  const events = queue.messages.map((message) => JSON.parse(message) as UsageEvent);
  const half = events.length / 2;
  const ledger = createLedger(awsOf(gateway, counter), gateway.endpoints.tables);
  counter.clear();
  for (const event of events.slice(0, half)) await ledger.record([event]);
  const alone = counter.take("TransactWriteItems") / half;
  await ledger.record(events.slice(half));
  const together = counter.take("TransactWriteItems") / half;
  const rollup = (alone - together) / (1 - 1 / half);
  return { entry: alone - rollup, rollup };
}

function awsOf({ endpoints }: LocalGateway, { url }: Counter): Aws {
  return createAws({
    region: endpoints.region,
    credentials: () => localCredentials,
    endpoints: { dynamodb: url },
    attemptsMax: 3,
    timeoutMs: 10_000,
  });
}

async function callOnce(url: string, { key, headers }: Way): Promise<void> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers?.() },
    body: requests.whole,
  });
  await reply.bytes();
  if (!reply.ok) throw new Error(`a call was answered with ${reply.status}`);
}
