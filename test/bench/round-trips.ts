/** How long an admission's write takes to the store and back, over the gateway's own transport, one after the other. */
import { createAws } from "#shared/base/platform/aws.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import type { LocalGateway } from "#test/support/local.ts";
import { admit, noon, settlement, walletHold } from "#test/support/store.ts";
import { percentile } from "./spread.ts";

const admissionsOfARound = 100;
const meter = "mtr_bench";

/** Opens a wallet of its own on the gateway's DynamoDB. Gives what measures one round: the median, milliseconds. */
export async function openRoundTrips({ endpoints }: LocalGateway): Promise<() => Promise<number>> {
  const aws = createAws({
    region: endpoints.region,
    credentials: () => ({ accessKeyId: "local", secretAccessKey: "local" }),
    endpoints: { dynamodb: endpoints.dynamodb },
    attemptsMax: 3,
    timeoutMs: 10_000,
  });
  const meters = createMeters(aws, endpoints.tables);
  await meters.open(meter, 0, "payg");
  const credit = { organization: "org_bench", meter, points: 10n ** 24n, reference: "bench", at: noon };
  await createLedger(aws, endpoints.tables).credit(credit);
  return async () => {
    const times: number[] = [];
    for (let n = 0; n < admissionsOfARound; n++) {
      const startedAt = performance.now();
      const ticket = await admit(meters, walletHold(meter, "0.5"));
      times.push(performance.now() - startedAt);
      await meters.settle(ticket, settlement());
    }
    return percentile(times, 0.5) ?? Number.NaN;
  };
}
