/** How many calls a session makes, counted by the minute. */
import { consoleLimits } from "../../../base/console-limits.ts";
import { GatewayError } from "../../../base/errors.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import type { IdentifyDeps } from "../../../people/identity/identify.ts";
import { velocityKey } from "../dynamodb/account-keys.ts";
import { toItem } from "../dynamodb/attributes.ts";
import { absentOrBelow } from "../dynamodb/expressions.ts";
import type { TableNames } from "../dynamodb/item-keys.ts";
import { changeItem } from "../dynamodb/items.ts";

const minuteMs = 60_000;

/** Counts a caller's call in one write, whose bound is a session's unless it is given. Throws `rate_limited`, with the wait. A refused call is not counted. */
export function createPace(
  aws: Aws,
  { accounts: table }: Pick<TableNames, "accounts">,
  now: () => number,
): NonNullable<IdentifyDeps["pace"]> {
  return async (caller, most = consoleLimits.callsPerSessionAMinuteMax) => {
    const at = now();
    const minute = Math.floor(at / minuteMs);
    const counted = await changeItem(aws, {
      table,
      key: velocityKey(`calls:${caller}`, String(minute)),
      set: toItem({ expires_at: (minute + 2) * 60 }),
      add: { n: 1 },
      when: [absentOrBelow("n", most)],
    });
    if (counted) return;
    const message = `A session makes at most ${most} calls a minute.`;
    throw new GatewayError("rate_limited", { message, wait_ms: (minute + 1) * minuteMs - at });
  };
}
