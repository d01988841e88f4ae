/**
 * The switches of a call: those that its request sets, and those that its provider may report unasked
 * (books/catalog/README.md, "Switches").
 */

import { type JsonPath, readJsonObject, setMembers } from "../../base/json/body.ts";
import { checkSwitches } from "../../books/accounts/policy-in-force.ts";
import {
  type Switch,
  toolRate,
  toolsUnasked,
  type Way,
  ways,
  withoutStandard,
} from "../../books/billing/pricing/rates.ts";
import type { TokenKind, UsageDetails } from "../../books/billing/usage.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import { checkPlanSwitches, planNumbers } from "../../books/catalog/plan-includes.ts";
import { refuseUnpriced } from "../access/unpriced.ts";
import { longTextPlaces } from "../chat/measure.ts";
import { isCrossing, routeOf } from "../exchange/upstream-route.ts";
import { switchesAcross } from "../exchange/ways-across.ts";
import type { Outgoing, Protocol } from "../protocols/protocol.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

/**
 * A call whose request says how often each tool may run, as far as it can. Where the client does not say it, the number
 * of the caller's plan is written into the body, and counts (books/catalog/README.md, "What a plan includes").
 */
export function withPlanNumbers(decoded: Decoded, { catalog }: Pick<Deps, "catalog">): Decoded {
  const { call, body, principal, request } = decoded;
  const { switches = [] } = call;
  if (!("members" in body) || !switches.some(({ bound_by }) => bound_by)) return decoded;
  const numbers = planNumbers(switches, { principal, at: request.received_at }, catalog);
  if (numbers.size === 0) return decoded;
  let { bytes } = body;
  for (const [member, number] of numbers) {
    const path = JSON.parse(member) as JsonPath;
    bytes = setMembers(bytes, path.slice(0, -1), { [String(path.at(-1))]: String(number) }) ?? bytes;
  }
  const numbered = switches.map(({ bound_by, ...each }) => {
    const calls = numbers.get(JSON.stringify(bound_by));
    return calls === undefined ? { ...each, ...(bound_by && { bound_by }) } : { ...each, calls };
  });
  return {
    ...decoded,
    call: { ...call, switches: numbered },
    body: readJsonObject(bytes, longTextPlaces),
  };
}

/**
 * A call with the switches that can reach a provider, and with those that a provider of another protocol may report
 * unasked. A switch that no translation carries does not count where every channel is reached by translation. One that
 * a translation carries counts in the provider's words. Throws `invalid_request` for a switch that the model has no rate
 * for, and `permission_denied` for one that the caller's plan or policies do not include.
 */
export function withPricedSwitches<Call extends Decoded>(decoded: Call, deps: Pick<Deps, "catalog">): Call {
  const { call, model, protocol, principal, request } = decoded;
  const reached = model.channels.flatMap((channel) => {
    const provider = deps.catalog.provider(channel.provider);
    return (provider && routeOf(decoded, provider)?.protocol) ?? [];
  });
  const across = reached.filter((upstream) => isCrossing(protocol, upstream));
  const passes = across.length < reached.length;
  const given = call.switches ?? [];
  const told = [
    ...given
      .filter(({ crosses }) => passes || crosses)
      .map((each) => (paysOnce(each, model) ? { ...each, boundless: false } : each)),
    ...switchesAcross(given, across, model.price),
  ];
  const asked = told.filter(({ free }) => !free);
  refuseUnpriced(asked, model);
  checkPlanSwitches(asked, { principal, at: request.received_at }, deps.catalog);
  checkSwitches(told, principal);
  const switches = [...asked, ...unaskedOf(decoded, across), ...toolsOf(model, asked)];
  return switches.length === 0 && !call.switches ? decoded : { ...decoded, call: { ...call, switches } };
}

/** The tools that a model's provider runs in each request, where the request does not ask for them. */
function toolsOf({ price }: Pick<Model, "price">, asked: Switch[]): Switch[] {
  return toolsUnasked(price)
    .filter((name) => !asked.some((each) => each.kind === "tool" && each.name === name))
    .map((name) => ({ field: "model", kind: "tool", name, calls: 1, implied: true }));
}

/** Whether all calls of a tool in one request cost as much as one: then it does not matter how many there are. */
function paysOnce({ boundless, name }: Switch, { price }: Pick<Model, "price">): boolean {
  return boundless === true && toolRate(price, name)?.once === true;
}

/**
 * What providers of other protocols may report although the request does not ask for it. Any medium can have sound,
 * whatever type it names. Some models answer with pictures.
 */
function unaskedOf({ size }: Pick<Decoded, "size">, across: Protocol[]): Switch[] {
  if (across.length === 0) return [];
  const heard: TokenKind[] = size.files + size.pictures > 0 ? ["audio_input", "audio_cache_read"] : [];
  const names = new Set([...heard, ...across.flatMap(({ unasked = [] }) => unasked)]);
  return [...names].map((name) => ({ field: "model", kind: "tokenKind", name, implied: true }));
}

/**
 * The details that bill a call. A provider reports a tool by one name, but each form of the tool has its own price. So
 * the calls get the name of the form that was asked for. The standard way is left out.
 */
export function asAsked(details: UsageDetails = {}, switches: Switch[] = []): UsageDetails {
  const told = Object.entries(details.calls ?? {});
  if (told.length === 0) return withoutStandard(details);
  const forms = new Map(switches.map(({ name, counted_as = name }) => [counted_as, name]));
  const calls = told.map(([name, count]) => [forms.get(name) ?? name, count]);
  return withoutStandard({ ...details, calls: Object.fromEntries(calls) });
}

/**
 * The ways in which a provider was asked to serve a call. A provider that names no other way has taken the one that
 * it was asked for. A way whose field was `dropped` was not asked for.
 */
export function waysAsked(
  switches: Switch[] | undefined,
  { dropped, ways: across }: Pick<Outgoing, "dropped" | "ways">,
): Pick<UsageDetails, Way> {
  if (across) return across;
  const asked = (switches ?? []).filter(
    ({ field, kind, implied }) =>
      !implied && (ways as readonly string[]).includes(kind) && !dropped.includes(field),
  );
  return Object.fromEntries(asked.map(({ kind, name }) => [kind, name]));
}
