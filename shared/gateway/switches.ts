/** What a request switches on must have a price; what the provider then says of it is billed (README, "Switches"). */
import { rateFor, type Switch, type Way, ways, withoutStandard } from "../billing/rates.ts";
import type { UsageDetails } from "../billing/usage.ts";
import type { Model } from "../catalog/catalog.ts";
import { GatewayError } from "../errors.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { isCrossing } from "./exchange.ts";
import { wayTo } from "./route.ts";

/**
 * A call with those of its switches that can reach a provider. Throws `invalid_request` for one that its model has no
 * rate for. What a crossing leaves behind is no switch where every channel is reached across.
 */
export function withPricedSwitches<Call extends Decoded>(decoded: Call, deps: Pick<Deps, "catalog">): Call {
  const { call, model } = decoded;
  if (!call.switches || call.switches.length === 0) return decoded;
  const passes = model.channels.some((channel) => {
    const provider = deps.catalog.provider(channel.provider);
    const way = provider && wayTo(provider, decoded.protocol);
    return way && !isCrossing(decoded.protocol, way.protocol);
  });
  const switches = call.switches.filter(({ crosses }) => passes || crosses);
  refuseUnpriced(switches, model);
  return { ...decoded, call: { ...call, switches } };
}

/** Throws `invalid_request` for the first switch that the model has no rate for. */
export function refuseUnpriced(switches: Switch[], { id, price }: Pick<Model, "id" | "price">): void {
  const unpriced = switches.find((each) => !each.implied && rateFor(price, each) === undefined);
  if (!unpriced) return;
  const { field, name } = unpriced;
  const what = field.endsWith(name) ? `\`${field}\`` : `\`${field}\` (${name})`;
  const message = `The model \`${id}\` has no price for ${what}. Leave it out, or use a model whose \`price.rates\` has it.`;
  throw new GatewayError("invalid_request", { message, param: field });
}

/**
 * The details that a call is billed by: calls of a tool under the name of the form that was asked for, since replies
 * know one name of it, and no word of the standard way.
 */
export function asAsked(details: UsageDetails = {}, switches: Switch[] = []): UsageDetails {
  const forms = new Map(switches.map(({ name, counted_as = name }) => [counted_as, name]));
  const calls = Object.entries(details.calls ?? {}).map(([name, count]) => [forms.get(name) ?? name, count]);
  return withoutStandard(calls.length > 0 ? { ...details, calls: Object.fromEntries(calls) } : details);
}

/** What a provider may leave unsaid: a way that was asked of it is the one it took, unless it says another. */
export function waysAsked(
  switches: Switch[] | undefined,
  client: Protocol,
  provider: Protocol,
): Pick<UsageDetails, Way> {
  if (isCrossing(client, provider)) return {};
  const asked = (switches ?? []).filter(
    ({ kind, implied }) => !implied && (ways as readonly string[]).includes(kind),
  );
  return Object.fromEntries(asked.map(({ kind, name }) => [kind, name]));
}
