/**
 * What a call used, in the four disjoint token dimensions of the contract (§2.3) and the two counts of
 * media. `input_tokens` never includes cached tokens here; the protocols normalise that at their edge.
 */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  generated_images: number;
  video_seconds: number;
}

export const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  generated_images: 0,
  video_seconds: 0,
};

export const dimensions = Object.keys(noUsage) as (keyof Usage)[];

/** How we know the usage: the provider said it, we estimated it, or there was nothing to know. */
export type Evidence = "reported" | "estimated" | "none";

/** All tokens of a call, cached ones included: what token limits count (contract §8). */
export function tokensOf(usage: Usage): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
}
