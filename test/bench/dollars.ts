/** What a million calls and a million video tasks cost, by the price list and by units that the bench counts. */
import { type MeteringUnits, pollsOf, type Recording } from "#infra/cost/metering.ts";
import { prices } from "#infra/cost/prices.ts";
import { lookGbSeconds, taskUnits } from "#infra/cost/units.ts";

/** An `Idempotency-Key`: the claim, and the answer in its record. */
export const idempotencyWrites = 2;

/** Dollars a million calls of one model, whose events are settled so many at a time, of so many keys. */
export function dollars(
  { writes, reads, sends }: MeteringUnits,
  { entry, rollup }: Recording,
  batch: number,
  keys = 1,
): number {
  const queued = 1_000_000 * (sends + pollsOf(batch)) * prices.queueRequest.usd;
  return dollarsOfUnits({ writes: writes + entry + (rollup * keys) / batch, reads }) + queued;
}

/** Dollars of a million calls that take so many units of DynamoDB each. */
export function dollarsOfUnits({ writes, reads }: Pick<MeteringUnits, "writes" | "reads">): number {
  return 1_000_000 * (writes * prices.writeUnit.usd + reads * prices.readUnit.usd);
}

/** What the workflow of a million video tasks takes beside their calls: so many polls each, besides the submission. */
export function dollarsOfTasks(polls: number): { transitions: number; invocations: number; dollars: number } {
  const { transitions, invocations } = taskUnits(polls);
  const { transition, lambdaRequest, lambdaGbSecond } = prices;
  const worker = lambdaRequest.usd + lookGbSeconds * lambdaGbSecond.usd;
  return {
    transitions,
    invocations,
    dollars: 1_000_000 * (transitions * transition.usd + invocations * worker),
  };
}
