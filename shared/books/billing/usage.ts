/**
 * The counts of a call that reports, rollups and limits show: the four disjoint token dimensions of contract §2.3
 * and the two counts of media. `input_tokens` never includes cached tokens: each protocol takes them out where it reads
 * a provider's report.
 */
export interface UsageCounts {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  generated_images: number;
  video_seconds: number;
}

/** What a call used: its counts, and the details that its price may depend on. */
export interface Usage extends UsageCounts {
  /** Absent where the provider reported counts only, and on items that were stored before details existed. */
  details?: UsageDetails;
}

/** The kinds of tokens that can have a price of their own, with the count that includes them. */
export const countedIn = {
  cache_write_1h: "cache_write_tokens",
  cache_write_12h: "cache_write_tokens",
  audio_input: "input_tokens",
  image_input: "input_tokens",
  audio_cache_read: "cache_read_tokens",
  audio_output: "output_tokens",
  image_output: "output_tokens",
} as const satisfies Record<string, keyof UsageCounts>;

export type TokenKind = keyof typeof countedIn;

export const tokenKinds = Object.keys(countedIn) as TokenKind[];

/** What the provider reports of a call beside its counts. What it does not report has no member. */
export interface UsageDetails {
  /** Tokens that the counts include, by kind. */
  tokens?: Partial<Record<TokenKind, number>>;
  /** Calls of tools that the provider ran itself, by the name that the price has for the tool. */
  calls?: Record<string, number>;
  /** The ways in which the call was served, where they are not the standard ones. */
  service_tier?: string;
  speed?: string;
  inference_geo?: string;
}

export const noUsage: UsageCounts = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  generated_images: 0,
  video_seconds: 0,
};

export const dimensions = Object.keys(noUsage) as (keyof UsageCounts)[];

/**
 * Where a usage comes from: the provider reported it, we estimated it, or there was none. At `cache` no provider was
 * asked.
 */
export type UsageEvidence = "reported" | "estimated" | "none" | "cache";

/** All tokens of a call, cached ones included: what token limits count (contract §8). */
export function tokensOf(usage: UsageCounts): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
}

/** The counts alone: what is summed. */
export function countsOf({ details: _, ...counts }: Usage): UsageCounts {
  return counts;
}

/**
 * A usage from its counts and the details that a provider reported. Kinds of tokens that exceed their count are cut to
 * it, in the order of `tokenKinds`, so that a wrong report bills no token twice.
 */
export function withDetails(counts: UsageCounts, told: UsageDetails | undefined): Usage {
  const rest = { ...counts };
  const tokens: UsageDetails["tokens"] = {};
  for (const kind of tokenKinds) {
    const whole = countedIn[kind];
    const count = Math.min(told?.tokens?.[kind] ?? 0, rest[whole]);
    if (count <= 0) continue;
    tokens[kind] = count;
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
