/** On which terms a call may go with its organization's own key at a provider (shared/calls/upstreams/own-keys.md). */
import type { Organization } from "../../books/accounts/account.ts";
import { type OwnFee, ownFeeOf } from "../../books/billing/own-fee.ts";
import { holdPoints, type UsageBounds } from "../../books/billing/pricing/hold-points.ts";
import type { PinnedPrice } from "../../books/billing/pricing/price.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import { isAlone } from "../upstreams/own-keys.ts";
import type { Deps } from "./deps.ts";
import { coveredNow, type Steps } from "./strict.ts";

export interface OwnTerms {
  /** What the gateway takes where the organization's key pays the provider. */
  fee: OwnFee;
  /** No key of ours may serve the call. */
  alone: boolean;
  /** Such a key is asked before ours. */
  leads: boolean;
}

/** The terms of a call of this model; undefined where the organization has no key at any of its providers. */
export function ownTermsOf(
  model: Pick<Model, "id" | "channels">,
  { provider_keys: keys = [] }: Pick<Organization, "provider_keys">,
  { catalog }: Pick<Deps, "catalog">,
): OwnTerms | undefined {
  if (keys.length === 0) return undefined;
  const uses = new Set(
    keys
      .filter((key) => model.channels.some(({ provider }) => provider === key.provider))
      .map(({ use }) => use),
  );
  const alone = isAlone(model, keys, catalog);
  if (uses.size === 0 && !alone) return undefined;
  // A catalog that takes no more keys asks nothing for calls with those that are there.
  return { fee: catalog.ownFee() ?? { share: "0" }, alone, leads: alone || uses.has("first") };
}

/** The most that a call costs, 10⁻¹⁸ points, as far as its hold covers it now, whoever's key pays its provider. */
export function mostPoints(quoted: {
  bounds: UsageBounds;
  steps?: Steps | undefined;
  price: PinnedPrice;
  own?: OwnTerms | undefined;
}): bigint {
  const list = holdPoints(coveredNow(quoted), quoted.price);
  if (!quoted.own) return list;
  const fee = ownFeeOf(quoted.own.fee, list);
  return quoted.own.alone || list < fee ? fee : list;
}
