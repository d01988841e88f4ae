/** What a request switches on must have a price; what the provider then says of it is billed (catalog/README.md, "Switches"). */
import { rateFor, type Switch, type Way, ways, withoutStandard } from "../billing/pricing/rates.ts";
import type { TokenKind, UsageDetails } from "../billing/usage.ts";
import type { Model } from "../catalog/catalog.ts";
import { GatewayError } from "../errors.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";
import { isCrossing } from "./exchange.ts";
import { wayOf } from "./route.ts";

/**
 * A call with those of its switches that can reach a provider, and with what a provider of another protocol may report
 * unasked. Throws `invalid_request` for one that its model has no rate for. What a crossing leaves behind is no switch
 * where every channel is reached across.
 */
export function withPricedSwitches<Call extends Decoded>(decoded: Call, deps: Pick<Deps, "catalog">): Call {
  const { call, model, protocol } = decoded;
  const reached = model.channels.flatMap((channel) => {
    const provider = deps.catalog.provider(channel.provider);
    return (provider && wayOf(decoded, provider)?.protocol) ?? [];
  });
  const across = reached.filter((upstream) => isCrossing(protocol, upstream));
  const passes = across.length < reached.length;
  const asked = (call.switches ?? []).filter(({ crosses }) => passes || crosses);
  refuseUnpriced(asked, model);
  const switches = [...asked, ...unaskedOf(decoded, across)];
  return switches.length === 0 && !call.switches ? decoded : { ...decoded, call: { ...call, switches } };
}

/**
 * What providers of other protocols may report though the request says nothing of it. Any medium can have sound, whatever
 * it calls itself. Some models answer with pictures.
 */
function unaskedOf({ size }: Pick<Decoded, "size">, across: Protocol[]): Switch[] {
  if (across.length === 0) return [];
  const heard: TokenKind[] = size.files + size.pictures > 0 ? ["audio_input", "audio_cache_read"] : [];
  const names = new Set([...heard, ...across.flatMap(({ unasked = [] }) => unasked)]);
  return [...names].map((name) => ({ field: "model", kind: "tokenKind", name, implied: true }));
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
 * The details that bill a call. A reply has one name for a tool whose forms have prices of their own, so its calls get
 * the name of the form that was asked for. The standard way is not named.
 */
export function asAsked(details: UsageDetails = {}, switches: Switch[] = []): UsageDetails {
  const forms = new Map(switches.map(({ name, counted_as = name }) => [counted_as, name]));
  const calls = Object.entries(details.calls ?? {}).map(([name, count]) => [forms.get(name) ?? name, count]);
  return withoutStandard(calls.length > 0 ? { ...details, calls: Object.fromEntries(calls) } : details);
}

/**
 * What a provider may leave unsaid: a way that was asked of it is the one it took, unless it says another. It was not
 * asked for one whose field was `dropped`.
 */
export function waysAsked(
  switches: Switch[] | undefined,
  dropped: readonly string[],
  client: Protocol,
  provider: Protocol,
): Pick<UsageDetails, Way> {
  if (isCrossing(client, provider)) return {};
  const asked = (switches ?? []).filter(
    ({ field, kind, implied }) =>
      !implied && (ways as readonly string[]).includes(kind) && !dropped.includes(field),
  );
  return Object.fromEntries(asked.map(({ kind, name }) => [kind, name]));
}
