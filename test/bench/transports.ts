/**
 * Measures the CPU of one call to AWS over each transport, in this process, against the embedded DynamoDB. The calls
 * are the gateway's own: an admission and a settlement of the real store.
 */
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { startDynamoDb, tables } from "#test/support/dynamodb.ts";
import { admit, noon, settlement, walletHold } from "#test/support/store.ts";
import { type TransportName, transports } from "#test/support/transports.ts";

/** Microseconds of CPU of one call, by its transport: the median of the rounds. */
export type CallCosts = Record<TransportName, number>;

const rounds = 9;
const holdsOfARound = 150;
const callsOfAHold = 2;

/** Measures both in turn, so that a busy machine is busy for each. */
export async function measureTransports(): Promise<CallCosts> {
  const server = await startDynamoDb();
  try {
    const names: TransportName[] = ["lean", "clients"];
    const meters = names.map((name) => createMeters(transports[name]({ dynamodb: server.endpoint }), tables));
    await meters[0]?.open("mtr_1", 0, "payg");
    const credit = {
      organization: "org_1",
      meter: "mtr_1",
      points: 10n ** 24n,
      reference: "opening",
      at: noon,
    };
    await createLedger(server.aws, tables).credit(credit);
    const costs = names.map((): number[] => []);
    // What is compiled in the first round counts for none.
    for (let round = 0; round <= rounds; round++) {
      for (const [i, store] of meters.entries()) {
        const before = process.cpuUsage();
        for (let n = 0; n < holdsOfARound; n++) {
          const ticket = await admit(store, walletHold("mtr_1", "0.5"));
          await store.settle(ticket, settlement());
        }
        const { user, system } = process.cpuUsage(before);
        if (round > 0) costs[i]?.push((user + system) / holdsOfARound / callsOfAHold);
      }
    }
    const [lean = Number.NaN, clients = Number.NaN] = costs.map(
      (each) => each.toSorted((a, b) => a - b)[Math.floor(rounds / 2)],
    );
    return { lean, clients };
  } finally {
    await server.stop();
  }
}
