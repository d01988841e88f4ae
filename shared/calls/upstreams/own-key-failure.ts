/** What a client is told where no channel but those with its organization's own keys has failed. */
import { GatewayError } from "../../base/errors.ts";
import type { OwnKey } from "../../books/accounts/own-key.ts";
import type { AccountReason } from "./account.ts";

/** A failure of a channel that was called with the organization's own key, as fault.ts has it. */
export interface OwnFailure {
  own: OwnKey;
  account?: AccountReason;
  is_limit: boolean;
  /** How long the provider asks to wait, in milliseconds. */
  wait_ms: number | undefined;
}

const whys: Record<AccountReason, string> = {
  key: "it is not valid. Give another one in the console.",
  money: "its account has no money left. Fill that up at the provider.",
  place: "its account is not served here. Give another one in the console.",
};

/**
 * The error of such failures: `own_key_refused` where a provider refuses a key, `rate_limited` where each has reached a
 * limit of its account; else undefined. It names the provider and the key's last four, and nothing that a provider said.
 */
export function ownKeysFailed(failures: readonly OwnFailure[]): GatewayError | undefined {
  const refused = failures.find(({ account }) => account !== undefined);
  if (refused?.account) {
    const { provider, last_four } = refused.own;
    const message = `${provider} refuses your organization's own key, which ends in ${last_four}: ${whys[refused.account]}`;
    return new GatewayError("own_key_refused", { message });
  }
  if (!failures.every(({ is_limit }) => is_limit)) return undefined;
  const waits = failures.map(({ wait_ms }) => wait_ms).filter((wait) => wait !== undefined);
  const names = [...new Set(failures.map(({ own }) => own.provider))].join(" and ");
  return new GatewayError("rate_limited", {
    message: `${names} limits the calls with your organization's own key. No limit of this gateway is reached.`,
    ...(waits.length > 0 && { wait_ms: Math.min(...waits) }),
  });
}
