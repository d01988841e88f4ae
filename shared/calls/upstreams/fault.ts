/** What a provider's failure means: to client, log and channel. `read-refusal.ts`, loaded with the first, reads it. */
import { GatewayError } from "../../base/errors.ts";
import { TransportError } from "../../base/platform/http-client.ts";
import type { LogFields } from "../../base/platform/log.ts";
import type { OwnKey } from "../../books/accounts/own-key.ts";
import type { AccountReason } from "./account.ts";
import { type OwnFailure, ownKeysFailed } from "./own-key-failure.ts";

/** What a log line says of a provider's error answer. */
export type RefusalFields = Pick<
  LogFields,
  "upstream_status" | "upstream_code" | "upstream_param" | "meaning" | "said"
>;

interface FaultFacts {
  told?: RefusalFields;
  account?: AccountReason;
  /** No request can be the cause. */
  certain?: boolean;
  limited?: boolean;
  /** How long it asks us to wait, in milliseconds. */
  wait_ms?: number;
}

/** A failure of the provider, or on the way to it. The next channel may do better. */
export class ProviderFault extends Error {
  readonly facts: FaultFacts;

  constructor(reason: string, facts: FaultFacts = {}) {
    super(reason);
    this.facts = facts;
  }
}

/** A provider's refusal that blames the request: an error for the client, with what the log says of it. */
export class RequestBlamed extends GatewayError {
  readonly told: RefusalFields;
  /** It cannot read reasoning in the request. Another channel may have made that. */
  readonly refuses_reasoning: boolean;
  /** Another channel may take the request. */
  readonly elsewhere: boolean;

  constructor(
    { key, detail }: GatewayError,
    told: RefusalFields,
    {
      refuses_reasoning = false,
      elsewhere = false,
    }: Partial<Pick<RequestBlamed, "refuses_reasoning" | "elsewhere">>,
  ) {
    super(key, detail);
    this.told = told;
    this.refuses_reasoning = refuses_reasoning;
    this.elsewhere = elsewhere;
  }
}

export interface ChannelFailure {
  /** Whether the channel should be left because it asks us to, because it refuses our account, or because it failed. */
  outcome: "fault" | "limited" | "refused";
  /** Whether the provider has answered that we reached a limit of ours. */
  is_limit: boolean;
  /** How long the provider asks us to wait, in milliseconds. */
  wait_ms: number | undefined;
  /** No request can be the cause: the provider cannot be reached, or refuses our key. */
  is_certain: boolean;
  /** Why the provider refuses the account. */
  account?: AccountReason;
  /** The organization's own key that the channel was called with. */
  own?: OwnKey | undefined;
}

/** What an attempt's error says of its channel. A named wait or 529 (overloaded) asks us to leave it, like a limit. */
export function channelFailure(error: Error): ChannelFailure {
  const { account, limited, wait_ms, told, certain } = error instanceof ProviderFault ? error.facts : {};
  const is_limit = limited === true;
  const is_certain = certain === true || (error instanceof TransportError && error.phase === "connect");
  if (account) return { outcome: "refused", is_limit, wait_ms, is_certain, account };
  const isLeft = is_limit || wait_ms !== undefined || told?.upstream_status === 529;
  return { outcome: isLeft ? "limited" : "fault", is_limit, wait_ms, is_certain };
}

/** What a client is told when no channel has answered. */
export function unanswered(failures: readonly ChannelFailure[]): GatewayError {
  if (failures.length === 0) return new GatewayError("no_channel");
  const own = failures.filter((failure): failure is ChannelFailure & OwnFailure => failure.own !== undefined);
  const told = own.length === failures.length ? ownKeysFailed(own) : undefined;
  if (told) return told;
  if (!failures.every(({ is_limit }) => is_limit)) return new GatewayError("upstream_error");
  const known = failures.map(({ wait_ms }) => wait_ms).filter((wait) => wait !== undefined);
  const wait_ms = known.length > 0 ? Math.min(...known) : undefined;
  const again = wait_ms === undefined ? "shortly" : `in ${inSeconds(wait_ms)}`;
  return new GatewayError("upstream_error", {
    message: `The model's providers limit this gateway at the moment; no limit of your own is reached. Try again ${again}.`,
    ...(wait_ms !== undefined && { wait_ms }),
  });
}

function inSeconds(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}
