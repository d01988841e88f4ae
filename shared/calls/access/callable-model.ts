/** Whether a caller may call the model that it names: the model exists, can do it, and is granted to key and plan. */

import { GatewayError } from "../../base/errors.ts";
import type { CallNames } from "../../base/platform/log.ts";
import type { Principal } from "../../books/accounts/account.ts";
import { allowedModel } from "../../books/catalog/allowed-models.ts";
import type { Capability, Model } from "../../books/catalog/catalog.ts";
import { findModel } from "../../books/catalog/models.ts";
import { checkPlanModel, grantedTo } from "../../books/catalog/plans.ts";
import type { AccessDeps } from "./deps.ts";

/**
 * The model of this name, if the caller may call it for `capability` at `at` (Unix milliseconds).
 *
 * It has the channels alone that the caller's policies allow. Throws `not_found` if there is no such model, and names the
 * nearest models that the caller may use. Throws `invalid_request` if the model lacks the capability. Throws
 * `permission_denied` if the key, its organization, its plan or a policy does not include the model. `names` has the model
 * then, for the line of the refusal.
 */
export function callableModel(
  name: string,
  capability: Capability,
  { principal, at, names }: { principal: Principal; at: number; names?: CallNames | undefined },
  { catalog }: Pick<AccessDeps, "catalog">,
): Model {
  const model = findModel(name, catalog, () =>
    grantedTo(principal, catalog, at).filter(({ capabilities }) => capabilities.includes(capability)),
  );
  if (names) names.model = model.id;
  if (!model.capabilities.includes(capability)) {
    const message = `The model \`${model.id}\` does not support ${capability}.`;
    throw new GatewayError("invalid_request", { message, param: "model" });
  }
  checkPermission(model, principal);
  checkPlanModel(model, principal, catalog, at);
  return allowedModel(model, principal);
}

/** Some models need a permission that both the key and its organization were granted (design §4 "Video permission"). */
function checkPermission({ id, permission }: Model, { key, organization }: Principal): void {
  if (permission === null) return;
  if (key.permissions.includes(permission) && organization.permissions.includes(permission)) return;
  const message = `The model \`${id}\` needs the permission ${permission}.`;
  throw new GatewayError("permission_denied", { message });
}
