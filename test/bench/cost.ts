/** What a metered call costs on AWS, from counted calls: capacity units of DynamoDB and requests of SQS. */
import { randomUUID } from "node:crypto";
import { batchAt, type MeteringUnits, type Recording } from "#infra/cost/metering.ts";
import { localCredentials } from "#infra/local/stack/function-environment.ts";
import { type Aws, createAws } from "#shared/base/platform/aws.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import type { LocalGateway } from "#test/support/local.ts";
import { dollars } from "./dollars.ts";
import { requests } from "./provider.ts";
import type { Counter, Queue } from "./stand-ins.ts";

/** All that was counted. */
export interface Counted {
  calls: (MeteringUnits & Pick<Way, "name">)[];
  recording: Recording;
}

/** The least calls a second, in whole ones, from which a million costs so much at most. */
export function rateAt(
  dollarsMax: number,
  metering: MeteringUnits,
  recording: Recording,
): number | undefined {
  const rates = Array.from({ length: 1000 }, (_, i) => i + 1);
  return rates.find((rate) => dollars(metering, recording, batchAt(rate)) <= dollarsMax);
}

/** A way of calling. */
interface Way {
  name: string;
  key: string;
  /** Holds on the wallet at a time: each makes its item longer, and DynamoDB asks by the kilobyte. */
  inFlight: number;
  headers?: () => Record<string, string>;
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
): Promise<MeteringUnits> {
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
    writes: perCall("UpdateItem", "PutItem", "BatchExecuteStatement", "TransactWriteItems"),
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
