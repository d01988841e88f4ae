/**
 * What a plan includes beside plain calls: tools of providers, other ways of service, and large videos. And what a call
 * of it may cost the house (books/catalog/README.md, "What a plan includes"). A pay-as-you-go key pays for all of it.
 */

import { GatewayError } from "../../base/errors.ts";
import type { Principal } from "../accounts/account.ts";
import { formatPoints, parsePoints } from "../billing/points.ts";
import type { Switch, Way } from "../billing/pricing/rates.ts";
import type { Plan } from "./catalog.ts";
import type { ModelCatalog } from "./models.ts";
import { planOf } from "./plans.ts";

type Plans = Pick<ModelCatalog, "plan" | "plans">;

/** Whose call it is, and when it was received, Unix milliseconds. */
interface PlanCaller {
  principal: Principal;
  at: number;
}

/** Whether a plan includes a switch, among all switches of its call. */
type Includes = (plan: Plan, each: Switch, all: readonly Switch[]) => boolean;

const way: Includes = ({ ways }, { kind, name }) => ways[kind as Way]?.includes(name) ?? false;

/** A plan that refuses dear calls refuses a tool that the provider may run any number of times. */
const isBorne = ({ list_points_max }: Plan, { boundless }: Switch): boolean =>
  !boundless || list_points_max?.call === undefined || list_points_max.above === "count";

/** By the kind of switch. `list_points_max` alone bounds tokens, which cost by their number. */
const includes: Record<Switch["kind"], Includes> = {
  tool: (plan, each, all) => callsOf(each.name, all) <= (numberOf(plan, each) ?? -1) && isBorne(plan, each),
  service_tier: way,
  speed: way,
  inference_geo: way,
  tokenKind: () => true,
};

/** How often one call of a plan may run a tool; undefined where the plan does not include it. */
function numberOf({ tools }: Plan, { name }: Pick<Switch, "name">): number | undefined {
  return Object.hasOwn(tools, name) ? tools[name] : undefined;
}

/**
 * How often a call may run a tool. A tool that is asked for twice may run twice as often. One whose request does not say
 * it gets what a plan has left, so it fits where one is left.
 */
function callsOf(tool: string, switches: readonly Switch[]): number {
  const own = switches.filter(({ kind, name }) => kind === "tool" && name === tool);
  return own.reduce((sum, { calls = 0, bound_by }) => sum + (bound_by ? 1 : calls), 0);
}

/**
 * How often a call may run the tools of which its request does not say it, by the JSON text of the member that would
 * (`bound_by`). It is what the caller's plan includes, less what other tools of the same name may run. Tools that share a
 * member get the least number of theirs. Empty for a pay-as-you-go key.
 */
export function planNumbers(
  switches: readonly Switch[],
  caller: PlanCaller,
  catalog: Pick<ModelCatalog, "plan" | "plans">,
): Map<string, number> {
  const [, plan] = planAndName(caller, catalog);
  const numbers = new Map<string, number>();
  const open = switches.filter(({ bound_by }) => plan && bound_by);
  for (const { name, bound_by } of open) {
    const others = switches.filter((each) => each.name === name && !each.bound_by);
    const left = (numberOf(plan as Plan, { name }) ?? 0) - callsOf(name, others);
    const share = Math.floor(left / open.filter((each) => each.name === name).length);
    const member = JSON.stringify(bound_by);
    numbers.set(member, Math.min(share, numbers.get(member) ?? share));
  }
  return new Map([...numbers].filter(([, number]) => number > 0));
}

/** Throws `permission_denied` for the first switch beyond the plan. What no request asks for is in its cost's bound. */
export function checkPlanSwitches(switches: readonly Switch[], caller: PlanCaller, catalog: Plans): void {
  const [name, plan] = planAndName(caller, catalog);
  if (!plan) return;
  const asked = switches.filter(({ implied }) => !implied);
  const left = asked.find((each) => !includes[each.kind](plan, each, asked));
  if (!left) return;
  const { field, kind, name: what } = left;
  const which = field.endsWith(what) ? `\`${field}\`` : `\`${field}\` (${what})`;
  const able = (other: Plan) => includes[kind](other, left, asked);
  const refuse = (why: string, what: string) =>
    refused(`The plan \`${name}\` ${why}`, { able, what, field }, catalog);
  const most = kind === "tool" ? numberOf(plan, left) : undefined;
  if (most === undefined) throw refuse(`does not include ${which}.`, "it");
  const comes = callsOf(what, asked);
  if (comes <= most)
    throw refuse(`bounds what a call costs, and nothing bounds how often ${which} runs in one.`, "it");
  throw refuse(
    `includes ${most} of ${which} in one call, and this one may come to ${comes}. Ask for fewer.`,
    "as many",
  );
}

/** Throws `permission_denied` for a video that is larger than the caller's plan includes. */
export function checkPlanVideo(
  { resolution, seconds }: { resolution: string; seconds: number },
  caller: PlanCaller,
  catalog: Plans,
): void {
  const [name, plan] = planAndName(caller, catalog);
  if (!plan) return;
  const sharp = ({ video }: Plan) =>
    video.resolutions === undefined || video.resolutions.some((each) => each === resolution);
  const short = ({ video }: Plan) => video.max_seconds === undefined || seconds <= video.max_seconds;
  const able = (other: Plan) => sharp(other) && short(other);
  if (!sharp(plan)) {
    const message = `The plan \`${name}\` includes videos of ${plan.video.resolutions?.join(", ")}, and this one is of ${resolution}.`;
    throw refused(message, { able, what: "it", field: "resolution" }, catalog);
  }
  if (!short(plan)) {
    const message = `The plan \`${name}\` includes videos of up to ${plan.video.max_seconds} seconds, and this one is of ${seconds}.`;
    throw refused(message, { able, what: "it", field: "duration" }, catalog);
  }
}

/**
 * The most that one call of the caller's plan may cost at list price, 10⁻¹⁸ points, where this one may cost more. A plan
 * bounds one call where it refuses dearer ones, and a whole day. Undefined where it bears the call. `most` gives what the
 * call may cost at most, 10⁻¹⁸ points, and runs only where there is such a bound.
 */
export function brokenCostBound(most: () => bigint, caller: PlanCaller, catalog: Plans): bigint | undefined {
  const [, plan] = planAndName(caller, catalog);
  const bound = plan && costBound(plan);
  return bound !== undefined && most() > bound ? bound : undefined;
}

/** The `permission_denied` of a call that may cost `points`, more than `bound`. `smaller` names one that would fit. */
export function costRefusal(
  { points, bound, smaller }: { points: bigint; bound: bigint; smaller?: string | undefined },
  caller: PlanCaller,
  catalog: Plans,
): GatewayError {
  const [name] = planAndName(caller, catalog);
  const message =
    `A call of the plan \`${name}\` may cost at most ${formatPoints(bound)} points at list price, and this one may come to ` +
    `${formatPoints(points)}. ${smaller === undefined ? "Ask for less." : `It fits with ${smaller}.`}`;
  const able = (other: Plan) => {
    const its = costBound(other);
    return its === undefined || points <= its;
  };
  return refused(message, { able, what: "it" }, catalog);
}

/** Whether the plan bears what a race may cost, where the loser is paid too. `most` as for `brokenCostBound`. */
export function bearsTwice(most: () => bigint, caller: PlanCaller, catalog: Plans): boolean {
  const [, plan] = planAndName(caller, catalog);
  const call = plan?.list_points_max?.call;
  return call === undefined || 2n * most() <= parsePoints(call);
}

/** The most that one call of a plan may cost, 10⁻¹⁸ points; undefined where nothing bounds it. */
function costBound({ list_points_max: bounds }: Plan): bigint | undefined {
  const { call, day, above } = bounds ?? {};
  const given = [above === "refuse" ? call : undefined, day].flatMap((text) =>
    text === undefined ? [] : [parsePoints(text)],
  );
  return given.reduce<bigint | undefined>(
    (least, each) => (least !== undefined && least < each ? least : each),
    undefined,
  );
}

/** The refusal, with the plans that would take the call. */
function refused(
  message: string,
  { able, what, field }: { able: (plan: Plan) => boolean; what: string; field?: string },
  catalog: Plans,
): GatewayError {
  const names = Object.entries(catalog.plans()).flatMap(([name, plan]) => (able(plan) ? [name] : []));
  const whose =
    names.length > 0 ? `Plans that include ${what}: ${names.join(", ")}.` : `No plan includes ${what}.`;
  const detail = { message: `${message} ${whose} A pay-as-you-go key pays for what it uses.` };
  return new GatewayError("permission_denied", field === undefined ? detail : { ...detail, param: field });
}

function planAndName({ principal, at }: PlanCaller, catalog: Plans): [name: string, plan: Plan | undefined] {
  const name = planOf(principal, catalog, at);
  return name === undefined ? ["", undefined] : [name, catalog.plan(name)];
}
