/** The check of channels that operators have taken out: one that is out for long may have been forgotten. */
import { rfc3339 } from "#shared/books/billing/instant.ts";
import { type ChannelRecord, outBy } from "#shared/calls/routing/taken-out.ts";
import { type Check, counted, ok, warn } from "./check.ts";

const dayMs = 24 * 3_600_000;

/** Warns of channels that are out for more than a day. `records` reads them; `now` gives Unix milliseconds. */
export function channelsCheck(records: () => Promise<ChannelRecord[]>, now: () => number): Check {
  return {
    name: "channels",
    async run() {
      const out = (await records()).flatMap((record) => {
        const act = outBy(record, now());
        return act ? [{ ...record, act }] : [];
      });
      const old = out.filter(({ act }) => now() - act.at > dayMs);
      if (old.length > 0) {
        const lines = old.map(
          ({ channel, provider, name, act }) =>
            `${channel} (${provider}, ${name}) since ${rfc3339(act.at)}: ${act.why ?? ""}`,
        );
        return warn(
          `${counted(old.length, "channel")} taken out for more than a day: ${lines.join("; ")}`,
          "operator channel return ID, or take the channel out of the catalog",
        );
      }
      return ok(
        out.length === 0
          ? "none is taken out"
          : `${counted(out.length, "channel")} taken out, none for more than a day`,
      );
    },
  };
}
