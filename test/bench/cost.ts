/** What a metered call costs on AWS, from counted calls: capacity units of DynamoDB and requests of SQS. */
import type { UsageEvent } from "#shared/billing/usage-event.ts";
import { type Aws, createAws } from "#shared/platform/aws.ts";
import { createLedger } from "#shared/store/ledger.ts";
import type { LocalGateway } from "../support/local.ts";
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

/** Units and requests of one call. */
export interface Metering {
  /** Admission, intent and the settlement of the hold. */
  gatewayWrites: number;
  /** Of the key, seldom. */
  gatewayReads: number;
  /** Entry and rollup. */
  ledgerWrites: number;
  queueRequests: number;
}

/** Dollars a million calls. */
export function dollars({ gatewayWrites, gatewayReads, ledgerWrites, queueRequests }: Metering): number {
  return (
    (gatewayWrites + ledgerWrites) * prices.writeUnits +
    gatewayReads * prices.readUnits +
    queueRequests * prices.queueRequests
  );
}

/** So many calls are settled one by one, and as many together. */
const batchSize = 10;

/**
 * Makes calls and counts what they take; then settles their events as the settling function does, one by one
 * and in a batch. The gateway's DynamoDB must be the counter, and its queue the one given. Stops the gateway.
 */
export async function countMetering(
  gateway: LocalGateway,
  counter: Counter,
  queue: Queue,
): Promise<{ single: Metering; batched: Metering }> {
  queue.messages.length = 0;
  for (let call = 0; call < 2 * batchSize; call++) await callOnce(gateway);
  // A hold is settled after its answer has left; a gateway that has ended has settled all of them.
  await gateway.stop();
  const perCall = (action: string) => counter.take(action) / (2 * batchSize);
  const gatewayWrites = perCall("UpdateItem") + perCall("PutItem");
  const gatewayReads = perCall("GetItem") + perCall("Query");
  const sends = queue.messages.length / (2 * batchSize);

  const events = queue.messages.map((message) => JSON.parse(message) as UsageEvent);
  const ledger = createLedger(awsOf(gateway, counter), gateway.endpoints.tables);
  for (const event of events.slice(0, batchSize)) await ledger.record([event]);
  const alone = counter.take("TransactWriteItems") / batchSize;
  await ledger.record(events.slice(batchSize));
  const together = counter.take("TransactWriteItems") / batchSize;
  // Each message is sent by itself; the function's poller receives and deletes a batch in a request each.
  const metering = (ledgerWrites: number, batch: number): Metering => ({
    gatewayWrites,
    gatewayReads,
    ledgerWrites,
    queueRequests: sends + 2 / batch,
  });
  return { single: metering(alone, 1), batched: metering(together, batchSize) };
}

function awsOf({ endpoints }: LocalGateway, { url }: Counter): Aws {
  return createAws({
    region: endpoints.region,
    credentials: () => ({ accessKeyId: "local", secretAccessKey: "local" }),
    endpoints: { dynamodb: url },
    attemptsMax: 3,
    timeoutMs: 10_000,
  });
}

async function callOnce({ url, keys }: LocalGateway): Promise<void> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.payg}`, "content-type": "application/json" },
    body: requests.whole,
  });
  await reply.bytes();
  if (!reply.ok) throw new Error(`a call was answered with ${reply.status}`);
}
