/**
 * Brings the boards into line with the records of channels that operators have taken out (shared/calls/routing/README.md
 * "Taken out by an operator"). The board may be lost, and a command may have died before it had written there.
 */
import type { ChannelRecords } from "../../calls/routing/taken-out.ts";

export interface ShowChannelsDeps {
  records: Pick<ChannelRecords, "all" | "show">;
  now: () => number;
}

/** Shows every record on its boards. Rejects where one cannot be shown, once all others are: the next pass goes on. */
export async function showChannels({ records, now }: ShowChannelsDeps): Promise<void> {
  const shown = await Promise.allSettled((await records.all()).map((record) => records.show(record, now())));
  const failed = shown.find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
}
