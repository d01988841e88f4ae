/** What a catalog file says (design §5). `schema.ts` checks it where it enters; the rest trusts these types. */
import type { PlanPeriod } from "../accounts/account.ts";
import { normalName, patternOf } from "../accounts/pattern.ts";
import type { Currency } from "../billing/currency.ts";
import type { OwnFee } from "../billing/own-fee.ts";
import type { Resolution } from "../billing/pricing/modes/per-second.ts";
import type { Price } from "../billing/pricing/price.ts";
import type { Way } from "../billing/pricing/rates.ts";
import type { CloudAuth, CloudCredential, KeyAuth } from "./credential.ts";
import type { HostName } from "./host.ts";
import type { NextPrice } from "./next-price.ts";
import type { StatedTraits } from "./traits.ts";

/** The protocols that a provider may have a base URL for: the URL that the vendor's own SDK takes (protocols.md §7). */
export const protocolNames = [
  "openai",
  "responses",
  "anthropic",
  "gemini",
  "ark",
  "zhipu",
  "converse",
] as const;
export type ProviderProtocol = (typeof protocolNames)[number];

export const capabilities = [
  "chat",
  "stream",
  "tools",
  "vision",
  "reasoning",
  "embeddings",
  "multimodal_embeddings",
  "images",
  "image_edits",
  "video",
] as const;
export type Capability = (typeof capabilities)[number];

export interface Provider {
  /** Base URLs, without a trailing slash. They may hold names (provider.ts `filled`). */
  protocols: Partial<Record<ProviderProtocol, string>>;
  /** How it learns who calls. */
  auth: KeyAuth | CloudAuth;
  /** What the kind of credential is told, for one of a cloud. */
  credential?: CloudCredential;
  /** The cloud that serves these protocols in a form of its own. */
  host?: HostName;
  /** The key's name in the providers' secret; locally an environment variable. The first of `secrets`. */
  secret?: string;
  /** The names of several credentials. Each makes a channel of its own, so that the calls are spread over them. */
  secrets?: string[];
  /** The provider's dialect. It holds for each of its models that does not state otherwise. */
  traits?: StatedTraits;
}

/** What the house pays a provider, by million tokens: decimal strings in the currency of the operator. */
export interface HouseCost {
  input: string;
  output: string;
  /** Of input that the provider's cache serves. Without it, as `input`. */
  cache_read?: string;
  /** Of input that is written to it. Without it, as `input`. */
  cache_write?: string;
}

/** One way to reach a model: a provider, and the provider's name for the model. */
export interface Channel {
  provider: string;
  model: string;
  /** The gateway tries channels of the lowest number first. */
  priority: number;
  /** The channel's share of the calls among channels of one priority. */
  weight: number;
  /** What the model takes here, where its host differs from what the model's own traits say. */
  traits?: StatedTraits;
  /** What the house pays. It is used to choose a channel, and is booked with each call. No customer sees it. */
  cost?: HouseCost;
}

export interface VideoOptions {
  resolutions: Resolution[];
  default_resolution: Resolution;
  max_seconds: number;
  /** Whether a request may give a number of frames in place of the duration. */
  frames: boolean;
  draft: boolean;
  audio: boolean;
}

/** Where a price was read (an address or a name) and on which day, `2026-11-20`. */
export interface PriceSource {
  source: string;
  as_of: string;
}

/** What smart routing goes by: the time that a caller waits and what the house pays, time alone, or mostly money. */
export const objectives = ["balanced", "latency", "cost"] as const;
export type Objective = (typeof objectives)[number];

/** How smart routing treats a model (shared/calls/routing/README.md). */
interface ModelRouting {
  /** Whether another channel is asked too where a stream is late. Without it, yes. */
  race?: boolean;
  /** Without it, `balanced`. */
  objective?: Objective;
  /** After how many milliseconds without a frame a stream is late. Without it, what the board says. */
  first_byte_ms?: number;
}

/** A model as the file gives it. Its price may be that of its pricing group. */
export interface ModelEntry {
  id: string;
  aliases: string[];
  display_name: string;
  /** Unix seconds. */
  created: number;
  /** The day on which its vendor ends it, `2026-12-01`. A warning alone: calls are sent until a person takes it out. */
  ends?: string;
  owned_by: string;
  capabilities: Capability[];
  /** The largest input and output, in tokens; 0 for models that are not charged by token. */
  context_tokens: number;
  output_tokens: number;
  /** The most tokens of one picture, document, sound or clip. Null: a hold covers the most that there could be. */
  media_tokens: number | null;
  price: Price | null;
  pricing_group: string | null;
  /** Where the price was read and when; null where nobody has said. It changes no charge. */
  price_source: PriceSource | null;
  /** Decimal string from "0" to "10" that multiplies the price. */
  discount_rate: string;
  /** What it costs from a later day on (next-price.ts). */
  next_price?: NextPrice;
  /** The permission that organization and key both need. */
  permission: "AVG_V2" | null;
  /** A streamed call holds for its output step by step, not for the largest one at once (billing.md §2.5). */
  strict: boolean;
  /** Null for everything but video models. */
  video: VideoOptions | null;
  /** What the model accepts of its protocol; absent where it accepts everything. */
  traits?: StatedTraits;
  routing?: ModelRouting;
  channels: Channel[];
}

/** A channel that is ready to serve: with its id, and the name of the credential that its provider is called with. */
export interface ReadyChannel extends Channel {
  /** Its name on the board of channels' health (`channel-id.ts`). */
  id: string;
  /** The name of the account that it is called with: of its key, or the kind of its credential where it has none. */
  secret: string;
  /** The names in the providers' secret without which it cannot be called. */
  needs: readonly string[];
}

/** A model that is ready to serve: with its price, and the protocols that its channels speak. */
export interface Model extends ModelEntry {
  price: Price;
  protocols: ProviderProtocol[];
  /** A channel of the entry stands here once for each credential of its provider. */
  channels: ReadyChannel[];
}

/** How the channels of a model are put in order for a key (shared/calls/routing/README.md "What the plans get"). */
export const routings = ["smart", "basic"] as const;
export type Routing = (typeof routings)[number];

/** What becomes of a call that may cost more than `call`: it is refused, or it counts as several calls of quota. */
export const dearCalls = ["refuse", "count"] as const;

/** Bounds of what calls may cost at list price: decimal strings of points, of which at least one is given. */
interface ListPointsMax {
  /** One call or, where dear calls count as several, one call of the quota. */
  call?: string;
  /** All calls of a subscription that were admitted on one UTC day. */
  day?: string;
  above: (typeof dearCalls)[number];
}

export interface Plan {
  /** The fee for one whole period, a decimal string of points. No wallet pays it. */
  price: Record<PlanPeriod, string>;
  /** Calls per month. */
  quota: Record<PlanPeriod, number>;
  /** Requests a minute, tokens a minute and a day; null is unlimited. */
  rpm: number | null;
  tpm: number | null;
  tpd: number | null;
  /** The models its keys may use, as patterns of ids in which `*` stands for any characters. */
  models: string[];
  /** The most answers or pictures that one call may ask for; null leaves the protocol's own bound. */
  n_max: number | null;
  /** The tools of providers that its calls may run: how often one call may, by the name of the tool's rate. */
  tools: Record<string, number>;
  /** The ways, other than the standard one, in which its calls may be served. */
  ways: Partial<Record<Way, string[]>>;
  /** The largest videos that it may ask for; what is absent is left to the model. */
  video: { resolutions?: Resolution[]; max_seconds?: number };
  /** What its calls may cost the house at list price; null is unbounded. */
  list_points_max: ListPointsMax | null;
  routing: Routing;
  /** Whether its calls may get the answer of an earlier call again (shared/calls/cache/README.md). */
  cache: boolean;
}

/** What pay-as-you-go keys get. */
export interface PaygTerms {
  routing: Routing;
}

/** Platforms where points can be paid. Each has a room in shared/people/payments. */
export const paymentChannels = ["alipay", "wechat", "stripe"] as const;
export type PaymentChannel = (typeof paymentChannels)[number];

/** How points and plans are sold in one currency. Amounts are decimal strings of the currency. */
export interface RechargeTerms {
  points_per_unit: string;
  /** The least and the most of one recharge. */
  min: string;
  max: string;
  channels: PaymentChannel[];
}

/** The terms of each currency, by its code of ISO 4217. */
export type Recharge = Readonly<Record<string, RechargeTerms>>;

/** The models by which the cache compares meanings (shared/calls/cache/semantic/README.md). Both are ids. */
export interface SemanticModels {
  /** Turns a question into a vector. */
  embedder: string;
  /** Says whether one answer serves two questions. */
  verifier: string;
}

export interface Catalog {
  version: string;
  providers: Record<string, Provider>;
  /** Prices that several models share, by the group's name. */
  pricing_groups: Record<string, Price>;
  models: ModelEntry[];
  plans: Record<string, Plan>;
  payg: PaygTerms;
  /** Without it nothing can be bought in the console. */
  recharge?: Recharge | undefined;
  /** Without it no cache compares meanings. */
  cache?: SemanticModels | undefined;
  /** What calls with an organization's own key at their provider cost. Without it no such key is taken. */
  byok_fee?: OwnFee | undefined;
  /** The seller's name in exports. */
  issuer?: string | undefined;
  /** The currency that points are bought with. Exports state costs in it. */
  currency?: Currency | undefined;
}

/** Whether patterns include a model (`amongOf`). */
export function isAmong(id: string, patterns: readonly string[]): boolean {
  return amongOf(patterns)(id);
}

/** What tells whether patterns include a model, read once. `*` is any characters; case, `.` and `_` are as in names. */
export function amongOf(patterns: readonly string[]): (id: string) => boolean {
  const forms = patterns.map((pattern) => patternOf(normalName(pattern)));
  return (id) => {
    const name = normalName(id);
    return forms.some((isOne) => isOne(name));
  };
}

/** Who sells, by an export of the books. */
export interface Seller {
  /** The name of the seller, who also sends the invoice. */
  issuer: string;
  /** The currency that points are bought with. Without one, costs are in points. */
  currency: Currency | undefined;
}

/** The seller of a catalog, which may leave out the name. */
export function sellerOf({ issuer, currency }: Pick<Catalog, "issuer" | "currency">): Seller {
  return { issuer: issuer ?? "Model Gateway", currency };
}

/** The model's own price, else its group's; undefined if it has neither. */
export function priceOf(entry: ModelEntry, catalog: Pick<Catalog, "pricing_groups">): Price | undefined {
  if (entry.price) return entry.price;
  return entry.pricing_group === null ? undefined : catalog.pricing_groups[entry.pricing_group];
}
