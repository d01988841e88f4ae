/** What a plan gives its keys beside limits: models, how much one call may ask for, and routing. */

import { GatewayError } from "../../base/errors.ts";
import type { Principal } from "../accounts/account.ts";
import { planAt } from "../accounts/subscription.ts";
import type { ChatCall } from "../billing/call.ts";
import { allowedModel, allowedModels, modelMeant } from "./allowed-models.ts";
import type { Model, Plan, Routing } from "./catalog.ts";
import { findModel, type ModelCatalog } from "./models.ts";

type Plans = Pick<ModelCatalog, "plan" | "plans" | "plansWith">;

/** Throws `permission_denied` for a model that the key's plan at `now` (Unix milliseconds) does not have. */
export function checkPlanModel(model: Model, principal: Principal, catalog: Plans, now: number): void {
  const name = planOf(principal, catalog, now);
  const able = catalog.plansWith(model);
  if (name === undefined || able.includes(name)) return;
  const whose = able.length > 0 ? `Plans that have it: ${able.join(", ")}.` : "No plan has it.";
  const message = `The plan \`${name}\` does not have the model \`${model.id}\`. ${whose} A pay-as-you-go key may use every model.`;
  throw new GatewayError("permission_denied", { message, param: "model" });
}

/** Throws `permission_denied` for a call that asks for more answers or pictures than the key's plan allows. */
export function checkPlanCount(
  { choices, images }: Pick<ChatCall, "choices" | "images">,
  principal: Principal,
  catalog: Plans,
  now: number,
): void {
  const name = planOf(principal, catalog, now);
  const asked = Math.max(choices, images ?? 0);
  const allows = ({ n_max }: Plan) => n_max === null || asked <= n_max;
  const plan = name === undefined ? undefined : catalog.plan(name);
  if (!plan || allows(plan)) return;
  const able = Object.entries(catalog.plans()).flatMap(([other, its]) => (allows(its) ? [other] : []));
  const kind = images === undefined ? "answer" : "picture";
  const allowed = `${plan.n_max} ${kind}${plan.n_max === 1 ? "" : "s"}`;
  const whose = able.length > 0 ? `Plans that allow as many: ${able.join(", ")}.` : "No plan allows as many.";
  const message = `The plan \`${name}\` allows ${allowed} a call at most, and this one may come to ${asked}. ${whose}`;
  throw new GatewayError("permission_denied", { message, param: "n" });
}

/** The models a key may use at `now` by its plan and its policies, in the catalog's order. */
export function modelsOf(principal: Principal, catalog: ModelCatalog, now: number): readonly Model[] {
  const name = planOf(principal, catalog, now);
  const models = catalog.models();
  const ofPlan =
    name === undefined ? models : models.filter((model) => catalog.plansWith(model).includes(name));
  return allowedModels(ofPlan, principal);
}

/** The models that a key could call at `now`: those of its plan, without those whose permission it lacks. */
export function grantedTo(principal: Principal, catalog: ModelCatalog, now: number): readonly Model[] {
  const { key, organization } = principal;
  return modelsOf(principal, catalog, now).filter(
    ({ permission }) =>
      permission === null ||
      (key.permissions.includes(permission) && organization.permissions.includes(permission)),
  );
}

/** A model that a key may use, by any of its names and by the key's aliases. Throws `not_found` and `permission_denied`. */
export function modelOf(name: string, principal: Principal, catalog: ModelCatalog, now: number): Model {
  const meant = modelMeant([name], principal, catalog) ?? name;
  const model = findModel(meant, catalog, () => grantedTo(principal, catalog, now));
  checkPlanModel(model, principal, catalog, now);
  return allowedModel(model, principal);
}

/** How a key's calls are routed at `now` (Unix ms): as its plan says, or `payg`. Without a plan it is basic. */
export function routingOf(
  principal: Principal,
  catalog: Pick<ModelCatalog, "plan" | "payg">,
  now: number,
): Routing {
  if (principal.key.mode === "payg") return catalog.payg().routing;
  const name = planOf(principal, catalog, now);
  return (name === undefined ? undefined : catalog.plan(name)?.routing) ?? "basic";
}

/** Whether a key's calls at `now` (Unix milliseconds) have a cache: its plan says so (shared/calls/cache/README.md). */
export function cachesFor(principal: Principal, catalog: Pick<ModelCatalog, "plan">, now: number): boolean {
  const name = planOf(principal, catalog, now);
  return name !== undefined && catalog.plan(name)?.cache === true;
}

/** The plan of a key; undefined on pay-as-you-go, and where the organization has no subscription. */
export function planOf(
  { key, organization }: Principal,
  catalog: Pick<ModelCatalog, "plan">,
  now: number,
): string | undefined {
  if (key.mode !== "subscription" || !organization.subscription) return undefined;
  const { plan } = planAt(organization.subscription, now);
  return catalog.plan(plan) && plan;
}
