/**
 * What a catalog file says (design §5): providers, models with their channels and prices, and plans.
 * `schema.ts` checks a file once, where it enters; everything else trusts these types.
 */
import type { PlanPeriod } from "../accounts/account.ts";
import type { Currency } from "../billing/currency.ts";
import type { Price } from "../billing/pricing/price.ts";
import type { StatedTraits } from "./traits.ts";

/** Names of the base URLs a provider may have: what each vendor's own SDK is given (protocols.md §7). */
export const protocolNames = ["openai", "responses", "anthropic", "gemini", "ark", "zhipu"] as const;
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

/** What a kind of call needs: a protocol to be sent in and a price mode that measures it. */
interface Demand {
  protocols: readonly ProviderProtocol[];
  modes: readonly Price["mode"][];
}

const tokenModes = ["flat_tokens", "input_tokens_tiers", "total_tokens_tiers"] as const;

/** The capabilities that are a kind of call; the others say how a chat can be held. */
export const demands: Partial<Record<Capability, Demand>> = {
  chat: { protocols: protocolNames, modes: tokenModes },
  embeddings: { protocols: ["openai", "gemini", "ark", "zhipu"], modes: tokenModes },
  multimodal_embeddings: { protocols: ["ark"], modes: tokenModes },
  images: { protocols: ["openai", "ark", "zhipu"], modes: ["per_image"] },
  image_edits: { protocols: ["openai", "ark"], modes: ["per_image"] },
  video: { protocols: ["ark"], modes: ["per_second"] },
};

export const resolutions = ["480p", "720p", "1080p"] as const;
export type Resolution = (typeof resolutions)[number];

export interface Provider {
  /** Base URLs, without a trailing slash. */
  protocols: Partial<Record<ProviderProtocol, string>>;
  /** The header that carries the credential. */
  auth: "bearer" | "x-api-key" | "x-goog-api-key";
  /** The credential's name in the providers' secret; locally an environment variable. */
  secret: string;
  /** Its dialect: what holds for all of its models that do not say otherwise. */
  traits?: StatedTraits;
}

/** One way to reach a model: a provider and its name for the model. */
export interface Channel {
  provider: string;
  model: string;
  /** Channels of the lowest number are tried first. */
  priority: number;
  /** Share of the calls among channels of one priority. */
  weight: number;
}

export interface VideoOptions {
  resolutions: Resolution[];
  default_resolution: Resolution;
  max_seconds: number;
  /** Whether a frame count can stand for the duration. */
  frames: boolean;
  draft: boolean;
  audio: boolean;
}

/** Where a price was read: an address or a name, and the day, `2026-11-20`. */
export interface PriceSource {
  source: string;
  as_of: string;
}

/** A model as the file gives it. Unlike a `Model`, its price may be its pricing group's. */
export interface ModelEntry {
  id: string;
  aliases: string[];
  display_name: string;
  /** Unix seconds. */
  created: number;
  owned_by: string;
  capabilities: Capability[];
  /** The largest input and output; 0 for models that are not charged by token. */
  context_tokens: number;
  output_tokens: number;
  /** The most that one picture, document, sound or clip can be in tokens; null: what the model could take at most. */
  media_tokens: number | null;
  price: Price | null;
  pricing_group: string | null;
  /** Where the price was read and when; null where nobody has said. It is no part of what is charged. */
  price_source: PriceSource | null;
  /** Decimal string from "0" to "10" that multiplies the price. */
  discount_rate: string;
  /** What organization and key must have been granted. */
  permission: "AVG_V2" | null;
  /** A streamed call holds its output step by step instead of the largest there could be (billing.md §2.5). */
  strict: boolean;
  /** Null for everything but video models. */
  video: VideoOptions | null;
  /** What it takes of what its protocol offers; absent: everything. */
  traits?: StatedTraits;
  channels: Channel[];
}

/** A model ready to serve: with its price, and the protocols its channels speak. */
export interface Model extends ModelEntry {
  price: Price;
  protocols: ProviderProtocol[];
}

export interface Plan {
  /** What one whole period costs, in points; a decimal string. No wallet pays it: it is a fee of its own. */
  price: Record<PlanPeriod, string>;
  /** Calls per month. */
  quota: Record<PlanPeriod, number>;
  /** Requests a minute, tokens a minute and a day; null is unlimited. */
  rpm: number | null;
  tpm: number | null;
  tpd: number | null;
  /** The models its keys may use, as patterns of ids in which `*` stands for any characters. */
  models: string[];
  /** Answers or pictures that one call may ask for; null is the protocol's own bound. */
  n_max: number | null;
}

export interface Catalog {
  version: string;
  providers: Record<string, Provider>;
  /** Prices that several models share, by the group's name. */
  pricing_groups: Record<string, Price>;
  models: ModelEntry[];
  plans: Record<string, Plan>;
  /** Who sells, as exports name it. */
  issuer?: string | undefined;
  /** What points are bought with: exports state costs in it. */
  currency?: Currency | undefined;
}

/** A name as it is compared: letter case and the marks of a version do not count (contract §1.5). */
export function normalName(name: string): string {
  return name.toLowerCase().replace(/[._]/g, "-");
}

/** Whether a pattern of a plan means a model: `*` stands for any characters, and case and marks do not count. */
export function isAmong(id: string, patterns: readonly string[]): boolean {
  const name = normalName(id);
  return patterns.some((pattern) => {
    const words = normalName(pattern)
      .split("*")
      .map((word) => word.replace(/[^a-z0-9]/g, "\\$&"));
    return new RegExp(`^${words.join(".*")}$`).test(name);
  });
}

/** The model's own price, else its group's; undefined if it has neither. */
export function priceOf(entry: ModelEntry, catalog: Catalog): Price | undefined {
  if (entry.price) return entry.price;
  return entry.pricing_group === null ? undefined : catalog.pricing_groups[entry.pricing_group];
}
