/** Runs agents against a DynamoDB in memory in every order in which their actions can come. */
import { type Aws, parseJson } from "#shared/base/platform/aws.ts";
import { awsOver } from "../../../support/aws-over.ts";
import type { MemoryDynamoDb } from "../../../support/memory-dynamodb.ts";
import { settled } from "../../../support/settled.ts";

/** One try: a fresh database, what acts on it at once, and what must hold in the end. */
interface Try {
  db: MemoryDynamoDb;
  agents: ((aws: Aws) => Promise<unknown>)[];
  check(): Promise<void> | void;
}

/** Tries every order, and gives how many there are. Rejects with the first agent or check that fails. */
export async function everyOrder(open: () => Promise<Try>): Promise<number> {
  let orders = 0;
  for (let choices: number[] | undefined = []; choices; orders++) {
    choices = nextOf(await tryOnce(await open(), choices));
  }
  return orders;
}

/** A choice that was made, among how many. */
type Made = [chosen: number, among: number];

/** Makes these choices, and then the first one each time. Gives all that were made. */
async function tryOnce({ db, agents, check }: Try, choices: readonly number[]): Promise<Made[]> {
  const waiting = new Map<number, () => void>();
  const made: Made[] = [];
  let running = agents.length;
  const done = agents.map(async (agent, index) => {
    const aws = awsOver(async (_, action, body) => {
      await new Promise<void>((resolve) => waiting.set(index, resolve));
      return db.act(action, parseJson(body) as object);
    });
    await agent(aws).finally(() => running--);
  });
  const all = Promise.all(done);
  all.catch(() => {});
  for (;;) {
    while (waiting.size < running) await settled();
    if (running === 0) break;
    const ready = [...waiting.keys()].sort((a, b) => a - b);
    const chosen = choices[made.length] ?? 0;
    made.push([chosen, ready.length]);
    const index = ready[chosen] ?? 0;
    const go = waiting.get(index);
    waiting.delete(index);
    go?.();
    await settled();
  }
  await all;
  await check();
  return made;
}

/** The choices of the next order; undefined after the last. */
function nextOf(made: Made[]): number[] | undefined {
  const last = made.findLastIndex(([chosen, among]) => chosen + 1 < among);
  if (last < 0) return undefined;
  return made.slice(0, last + 1).map(([chosen], at) => (at === last ? chosen + 1 : chosen));
}
