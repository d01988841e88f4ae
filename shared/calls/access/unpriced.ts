/**
 * Whatever a request switches on must have a price, or the call could not be billed (books/catalog/README.md,
 * "Switches").
 */

import { GatewayError } from "../../base/errors.ts";
import { rateFor, type Switch } from "../../books/billing/pricing/rates.ts";
import type { Model } from "../../books/catalog/catalog.ts";

/** Throws `invalid_request` for the first switch that the model has no rate for. */
export function refuseUnpriced(switches: Switch[], { id, price }: Pick<Model, "id" | "price">): void {
  const unpriced = switches.find((each) => !each.implied && rateFor(price, each) === undefined);
  if (!unpriced) return;
  const { field, name } = unpriced;
  const what = field.endsWith(name) ? `\`${field}\`` : `\`${field}\` (${name})`;
  const message = `The model \`${id}\` has no price for ${what}. Leave it out, or use a model whose \`price.rates\` has it.`;
  throw new GatewayError("invalid_request", { message, param: field });
}
