/** On which terms a call may go with its organization's own key at a provider (own-keys.md). */
import type { Organization } from "../../books/accounts/account.ts";
import { type OwnFee, ownFeeOf } from "../../books/billing/own-fee.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import { isAlone } from "./own-keys.ts";

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
  catalog: Pick<ModelCatalog, "find" | "ownFee">,
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

/** The most that a call costs on these terms where it costs `list` at list price; both are 10⁻¹⁸ points. */
export function mostWith(own: OwnTerms | undefined, list: bigint): bigint {
  if (!own) return list;
  const fee = ownFeeOf(own.fee, list);
  return own.alone || list < fee ? fee : list;
}
