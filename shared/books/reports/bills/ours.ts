/** The attempts of a booked call that its providers may have billed (README.md "Ours"). Pure. */
import { parseRate } from "../../billing/points.ts";
import type { ReadyChannel } from "../../catalog/catalog.ts";
import type { ModelCatalog } from "../../catalog/models.ts";
import { isUnbilled, type TokenCount, tokenCounts, unpricedBy } from "../../ledger/house-cost.ts";
import { type HouseRates, readHouseRates } from "../../ledger/house-rates.ts";
import type { ToldAttempt, UsageEvent } from "../../ledger/usage-event.ts";
import { channelsAsked, sharedRates } from "../asked-channels.ts";

/** What a token of each kind costs the house, in 10⁻¹² of the operator's currency. */
export type TokenRates = Readonly<Record<TokenCount, bigint>>;

/** One request of ours to a provider, with one of the house's credentials. */
export interface OurAttempt {
  /** The id of its call. */
  call: string;
  /** When the call came, and when it ended: Unix milliseconds. */
  at: number;
  ended_at: number;
  provider: string;
  /** The provider's own name for the model. */
  model: string;
  /** The name of the credential; null where the provider has several, and nothing says which one it was. */
  credential: string | null;
  /** What the provider reported; null where the attempt broke off, and nobody here knows whether it was billed. */
  tokens: Readonly<Record<TokenCount, number>> | null;
  /** What the reported tokens cost, in 10⁻¹² of the operator's currency; null where that is not known. */
  cost: bigint | null;
  rates: TokenRates | null;
  /** Of one that broke off: the tokens of its request, where another attempt of the call has told them. */
  prompt: number | null;
  /** The tier of service that the provider said it took; "" for the standard one. */
  tier: string;
}

/** Attempts of a settled call with the house's credentials, but for those that no provider bills. */
export function ourAttemptsOf(event: UsageEvent, catalog: Pick<ModelCatalog, "find">): OurAttempt[] {
  if (isUnbilled(event)) return [];
  const told = toldAttempts(event, catalog);
  const last = told.at(-1);
  const answer = isReported(event) && last?.outcome === "answered" ? last : undefined;
  const isBooked = [event, ...told].some(({ house }) => house !== undefined);
  const isHouses = (attempt: ToldAttempt) => !attempt.own_key && !(event.own_fee && attempt === last);
  return told.flatMap((attempt): OurAttempt[] => {
    if (!isHouses(attempt) || (attempt !== answer && isFree(attempt, isBooked))) return [];
    const { id: call, admitted_at: at, ended_at } = event;
    const { provider, model: asked = event.model } = attempt;
    const booked = readHouseRates(
      attempt === last && attempt.outcome === "answered" ? event.house : attempt.house,
    );
    const { model, credential, rates } = placeOf(attempt, booked, asked, catalog);
    const common = { call, at, ended_at, provider, model, credential, rates };
    if (attempt === answer) return [{ ...common, ...reportedOf(event, rates), prompt: null }];
    const same = answer && (answer.model ?? event.model) === asked ? promptOf(event) : null;
    const prompt = booked?.asked_tokens ?? same;
    return [{ ...common, tokens: null, cost: null, prompt, tier: "" }];
  });
}

/** The attempts, also of a call whose entry keeps no route: one channel was asked, or nobody told which. */
function toldAttempts(event: UsageEvent, catalog: Pick<ModelCatalog, "find">): readonly ToldAttempt[] {
  if (event.route) return event.route.attempts;
  const providers = new Set(catalog.find(event.model)?.channels.map(({ provider }) => provider));
  const [only] = providers.size === 1 ? providers : [];
  const provider = event.provider ?? only;
  return provider === undefined
    ? []
    : [{ provider, outcome: isReported(event) ? "answered" : "lost", ms: 0 }];
}

function isReported({ evidence }: UsageEvent): boolean {
  return evidence === "reported";
}

/**
 * A provider that refused, or answered with an error, bills nothing. One that was silent or broken off may. Where the call
 * has bookings, such an attempt has one, and a fault without one has reached nobody.
 */
function isFree({ outcome, status, house }: ToldAttempt, isBooked: boolean): boolean {
  if (outcome === "fault" && isBooked && house === undefined) return true;
  return outcome === "limited" || outcome === "refused" || outcome === "blamed" || status !== undefined;
}

function promptOf({ usage }: UsageEvent): number {
  return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
}

/** What the provider said, also where it was not believed. */
function reportedOf({ price, ...event }: UsageEvent, rates: TokenRates | null) {
  const usage = event.reported ?? event.usage;
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, details = {} } = usage;
  const tokens = { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens };
  const { service_tier: tier = "", ...beyond } = details;
  // What a tier costs is not booked. The standard price is compared, so that the difference is the tier's.
  const { details: _, ...counts } = usage;
  const isPriced = Object.keys(beyond).length === 0 && unpricedBy({ usage: counts, price }) === undefined;
  return { tokens, cost: rates && isPriced ? atRates(tokens, rates) : null, tier };
}

/** What tokens cost at rates. */
function atRates(tokens: Readonly<Record<TokenCount, number>>, rates: TokenRates): bigint {
  return tokenCounts.reduce((sum, name) => sum + BigInt(tokens[name]) * rates[name], 0n);
}

/**
 * The channel that was asked: as it was booked, and else what the catalog says, as far as all channels that it can have been
 * say the same.
 */
function placeOf(
  { provider, channel }: ToldAttempt,
  booked: HouseRates | undefined,
  model: string,
  catalog: Pick<ModelCatalog, "find">,
) {
  const channels = channelsAsked({ model, provider, channel: booked?.channel ?? channel }, catalog);
  const rates = booked?.rates ?? sharedRates(channels);
  return {
    model: same(channels, (each) => each.model) ?? model,
    credential: same(channels, ({ secret }) => secret) ?? null,
    rates: typeof rates === "string" ? null : tokenRates(rates),
  };
}

function same(channels: readonly ReadyChannel[], of: (channel: ReadyChannel) => string): string | undefined {
  const values = new Set(channels.map(of));
  const [first] = values;
  return values.size === 1 ? first : undefined;
}

function tokenRates(rates: readonly string[]): TokenRates {
  return Object.fromEntries(tokenCounts.map((name, at) => [name, parseRate(rates[at] ?? "0")])) as TokenRates;
}
