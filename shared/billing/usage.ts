/**
 * The counts of a call that reports, rollups and limits show: the four disjoint token dimensions of the
 * contract §2.3 and the two counts of media. `input_tokens` never includes cached tokens here; the
 * protocols normalise that at their edge.
 */
export interface Counts {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  generated_images: number;
  video_seconds: number;
}

/** What a call used: its counts, and what else its price may depend on. */
export interface Usage extends Counts {
  /** Absent where the provider told of nothing but the counts, and on what was stored before it existed. */
  details?: UsageDetails;
}

/** Tokens with a price of their own: each kind is a part of one count, and never more than it. */
export const wholes = {
  cache_write_1h: "cache_write_tokens",
  cache_write_12h: "cache_write_tokens",
  audio_input: "input_tokens",
  image_input: "input_tokens",
  audio_cache_read: "cache_read_tokens",
  audio_output: "output_tokens",
  image_output: "output_tokens",
} as const satisfies Record<string, keyof Counts>;

export type Part = keyof typeof wholes;

export const parts = Object.keys(wholes) as Part[];

/** What the provider says of a call beside its counts. Only what is there has a member. */
export interface UsageDetails {
  /** Tokens among the counts. */
  tokens?: Partial<Record<Part, number>>;
  /** Calls of tools that the provider ran itself, by the tool's name in the price. */
  calls?: Record<string, number>;
  /** How the call was served, where that is not the standard way. */
  service_tier?: string;
  speed?: string;
  inference_geo?: string;
}

export const noUsage: Counts = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  generated_images: 0,
  video_seconds: 0,
};

export const dimensions = Object.keys(noUsage) as (keyof Counts)[];

/** How we know the usage: the provider said it, we estimated it, or there was nothing to know. */
export type Evidence = "reported" | "estimated" | "none";

/** All tokens of a call, cached ones included: what token limits count (contract §8). */
export function tokensOf(usage: Counts): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
}

/** The counts alone: what is summed. */
export function countsOf({ details: _, ...counts }: Usage): Counts {
  return counts;
}

/**
 * A usage with what else is known of its call. Parts that exceed their whole are cut to it, in the order of
 * `parts`: a provider's nonsense must not bill tokens twice.
 */
export function withDetails(counts: Counts, told: UsageDetails | undefined): Usage {
  const rest = { ...counts };
  const tokens: UsageDetails["tokens"] = {};
  for (const part of parts) {
    const whole = wholes[part];
    const count = Math.min(told?.tokens?.[part] ?? 0, rest[whole]);
    if (count <= 0) continue;
    tokens[part] = count;
    rest[whole] -= count;
  }
  const calls = Object.entries(told?.calls ?? {}).filter(([, count]) => count > 0);
  const { tokens: _, calls: __, ...ways } = told ?? {};
  const details: UsageDetails = {
    ...(Object.keys(tokens).length > 0 && { tokens }),
    ...(calls.length > 0 && { calls: Object.fromEntries(calls) }),
    ...ways,
  };
  return Object.keys(details).length > 0 ? { ...counts, details } : { ...counts };
}
