/** What is left of a subscription's limits, in the headers of the vendor whose protocol is spoken (billing.md §3). */

import type { ProtocolName } from "../http/routes.ts";
import type { Standing } from "../meters/meter.ts";

/**
 * Rate-limit headers of an answer: Anthropic's on its paths, on all others OpenAI's. None on pay-as-you-go,
 * which has no limits. Anthropic's clients also ask for input and output tokens apart: a plan limits their sum,
 * so each may still come to all that is left. `now` is Unix milliseconds.
 */
export function rateHeaders(protocol: ProtocolName, standing: Standing, now: number): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const dimension of ["requests", "tokens"] as const) {
    const left = standing[dimension];
    if (!left) continue;
    const speaksAnthropic = isAnthropic(protocol);
    const told =
      speaksAnthropic && dimension === "tokens" ? ["tokens", "input-tokens", "output-tokens"] : [dimension];
    for (const name of told) {
      const [limit, remaining, reset] = names(protocol, name);
      headers[limit] = String(left.limit);
      headers[remaining] = String(Math.max(0, left.remaining));
      headers[reset] = speaksAnthropic
        ? new Date(left.reset_at).toISOString()
        : duration(left.reset_at - now);
    }
  }
  return headers;
}

function isAnthropic(protocol: ProtocolName): boolean {
  return protocol === "anthropic" || protocol === "anthropic-count";
}

function names(protocol: ProtocolName, dimension: string): readonly [string, string, string] {
  if (isAnthropic(protocol)) {
    const prefix = `anthropic-ratelimit-${dimension}`;
    return [`${prefix}-limit`, `${prefix}-remaining`, `${prefix}-reset`];
  }
  const prefix = "x-ratelimit";
  return [`${prefix}-limit-${dimension}`, `${prefix}-remaining-${dimension}`, `${prefix}-reset-${dimension}`];
}

/** OpenAI's form of a span: `850ms`, `1s`, `6m0s`. */
function duration(milliseconds: number): string {
  const span = Math.max(0, milliseconds);
  if (span < 1000) return `${span}ms`;
  const seconds = Math.ceil(span / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
