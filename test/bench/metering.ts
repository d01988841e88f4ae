/** Counts the capacity units and queue requests of each way of calling, each on a gateway of its own. */
import { type LocalGateway, operator } from "#test/support/local.ts";
import { attach } from "./attached.ts";
import { type Counted, countCalls, countRecording, waysOfCalling } from "./cost.ts";
import { type Queue, startCounter } from "./stand-ins.ts";

/**
 * Counts beside `base`, whose DynamoDB is asked through a counter. The disposal of `parts` ends all that was started.
 */
export async function countMetering(
  base: LocalGateway,
  queue: Queue,
  parts: AsyncDisposableStack,
): Promise<Counted> {
  const counter = await startCounter(base.endpoints.dynamodb);
  parts.defer(counter.stop);
  const ways = waysOfCalling({ ...base.keys, ...(await makeKeys(base)) });
  const calls: Counted["calls"] = [];
  let recording: Counted["recording"] | undefined;
  for (const way of ways) {
    const replaced = { dynamodb: counter.url, sqs: queue.url };
    const { gateway } = await attach(base, { replaced }, parts);
    calls.push({ ...(await countCalls(gateway, counter, queue, way)), name: way.name });
    recording ??= await countRecording(gateway, counter, queue);
  }
  return { calls, recording: recording ?? { entry: 0, rollup: 0 } };
}

/** A key with limits of its own, and one whose organization's wallet has several shards. */
async function makeKeys(base: LocalGateway): Promise<{ limited: string; sharded: string }> {
  const operate = async (...words: string[]) => {
    const { value, code, error } = await operator(base, ...words);
    if (code !== 0) throw new Error(error);
    return value;
  };
  const newKey = async (organization: string, ...flags: string[]) =>
    String((await operate("key", "create", "--org", organization, "--mode", "payg", ...flags)).key);
  const { id } = await operate("org", "create", "--name", "Sharded", "--points", "1000");
  await operate("org", "shards", String(id), "--count", "4");
  return {
    limited: await newKey(base.organizations.payg, "--max-concurrency", "100"),
    sharded: await newKey(String(id)),
  };
}
