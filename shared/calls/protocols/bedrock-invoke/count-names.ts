import type { Usage } from "../../../books/billing/usage.ts";

/** AWS's names of the counters of an answer of `InvokeModel`: its header, and its member of a stream's metrics. */
export const countNames = [
  ["input_tokens", "x-amzn-bedrock-input-token-count", "inputTokenCount"],
  ["output_tokens", "x-amzn-bedrock-output-token-count", "outputTokenCount"],
  ["cache_read_tokens", "x-amzn-bedrock-cache-read-input-token-count", "cacheReadInputTokenCount"],
  ["cache_write_tokens", "x-amzn-bedrock-cache-write-input-token-count", "cacheWriteInputTokenCount"],
] as const satisfies [keyof Usage, header: string, metric: string][];

/** The headers of a whole answer that have them. */
export const countHeaderNames = countNames.map(([, header]) => header);
