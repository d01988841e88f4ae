/** Which models a caller's policies allow, and at which providers (books/accounts/policies.md). */

import { GatewayError } from "../../base/errors.ts";
import type { Principal } from "../accounts/account.ts";
import { changersOf, whoseOf } from "../accounts/level-names.ts";
import { normalName } from "../accounts/pattern.ts";
import type { LevelRules } from "../accounts/policy.ts";
import { aliasOf, refusedBy, rulesOf } from "../accounts/policy-in-force.ts";
import type { Model } from "./catalog.ts";
import type { ModelCatalog } from "./models.ts";

/**
 * A model with the channels whose providers every level allows, or the error that says which level allows it not. It is
 * the catalog's own model where no policy takes a channel away.
 */
function within(model: Model, principal: Principal): Model | GatewayError {
  let { channels } = model;
  for (const rules of rulesOf(principal)) {
    const { allowsModel, allowsProvider } = rules;
    if (allowsModel && ![model.id, ...model.aliases].some((name) => allowsModel(normalName(name))))
      return refused(rules, "models", `does not allow the model \`${model.id}\``);
    if (!allowsProvider) continue;
    channels = channels.filter(({ provider }) => allowsProvider(provider));
    if (channels.length === 0)
      return refused(rules, "providers", `allows no provider that is left for the model \`${model.id}\``);
  }
  return channels.length === model.channels.length ? model : { ...model, channels };
}

function refused(rules: LevelRules, rule: "models" | "providers", what: string): GatewayError {
  return refusedBy(rules, rule, what, "model");
}

/** The model as a caller may call it: without the channels of providers that a level forbids. Throws `permission_denied`. */
export function allowedModel(model: Model, principal: Principal): Model {
  const own = within(model, principal);
  if (own instanceof GatewayError) throw own;
  return own;
}

/** Those of the models that a caller's policies allow, each as the caller may call it. */
export function allowedModels(models: readonly Model[], principal: Principal): readonly Model[] {
  if (rulesOf(principal).length === 0) return models;
  return models.flatMap((model) => {
    const own = within(model, principal);
    return own instanceof GatewayError ? [] : [own];
  });
}

/** Whether policies let all providers of a model be asked, which the gateway asks by itself for a caller. */
export function providersAllowed({ channels }: Model, principal: Principal): boolean {
  return rulesOf(principal).every(({ allowsProvider }) =>
    channels.every(({ provider }) => allowsProvider?.(provider) !== false),
  );
}

/**
 * What a name stands for by the caller's policies; undefined where by none. The target is no alias again. Throws
 * `not_found` for a target that left the catalog.
 */
export function modelMeant(
  names: readonly string[],
  principal: Principal,
  { find }: Pick<ModelCatalog, "find">,
): string | undefined {
  const alias = aliasOf(names, principal);
  if (!alias) return undefined;
  if (find(alias.model)) return alias.model;
  const { name, model, level } = alias;
  const leads = `${whoseOf[level]} policy leads \`${name.slice(0, 100)}\` to the model \`${model}\`, which does not exist`;
  const message = `${leads} (\`aliases\`). ${changersOf[level]} can change it.`;
  throw new GatewayError("not_found", { message, param: "model" });
}
