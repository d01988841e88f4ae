/** A ledger that counts what is read of it, so that no question of the console reads without a bound. */
import { GatewayError } from "../../../base/errors.ts";
import type { SummedLedger } from "../../../books/reports/report-sums.ts";

/** The same ledger. `onRead` is told after each rollup how many were read so far; what it throws ends the reading. */
export function countingRollups(ledger: SummedLedger, onRead: (count: number) => void): SummedLedger {
  let count = 0;
  return {
    ...ledger,
    async *eachRollup(organization, project, from, to) {
      for await (const rollup of ledger.eachRollup(organization, project, from, to)) {
        onRead(++count);
        yield rollup;
      }
    },
  };
}

/** The same ledger, which refuses with `invalid_request` to read more than `most` rollups. */
export function boundedRollups(ledger: SummedLedger, most: number): SummedLedger {
  return countingRollups(ledger, (count) => {
    if (count <= most) return;
    const message = `The range has more than ${most} sums of a key and a model. Ask for a shorter range, a longer step, or for one project.`;
    const fields = [{ location: "query.to", message }];
    throw new GatewayError("invalid_request", { message, param: "to", fields });
  });
}
