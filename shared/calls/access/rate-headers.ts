/**
 * What is left of a subscription's limits, in the headers of the vendor whose protocol the client speaks (billing.md
 * §3).
 */
import type { ProtocolName } from "../../base/http/routes.ts";
import type { LimitStatus } from "../../books/meters/admission.ts";

/**
 * The rate-limit headers of an answer: Anthropic's on its paths, OpenAI's on all others. There are none on
 * pay-as-you-go, which has no limits. Anthropic's clients also read input and output tokens apart. A plan limits
 * their sum, so each of them may still come to all that is left. `now` is Unix milliseconds.
 */
export function rateHeaders(
  dialect: ProtocolName,
  limitStatus: LimitStatus,
  now: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const dimension of ["requests", "tokens"] as const) {
    const left = limitStatus[dimension];
    if (!left) continue;
    const anthropic = isAnthropic(dialect);
    const told =
      anthropic && dimension === "tokens" ? ["tokens", "input-tokens", "output-tokens"] : [dimension];
    for (const name of told) {
      const [limit, remaining, reset] = names(dialect, name);
      headers[limit] = String(left.limit);
      headers[remaining] = String(Math.max(0, left.remaining));
      headers[reset] = anthropic ? new Date(left.resetAt).toISOString() : duration(left.resetAt - now);
    }
  }
  return headers;
}

function isAnthropic(dialect: ProtocolName): boolean {
  return dialect === "anthropic" || dialect === "anthropic-count";
}

function names(dialect: ProtocolName, dimension: string): readonly [string, string, string] {
  if (isAnthropic(dialect)) {
    const prefix = `anthropic-ratelimit-${dimension}`;
    return [`${prefix}-limit`, `${prefix}-remaining`, `${prefix}-reset`];
  }
  const prefix = "x-ratelimit";
  return [`${prefix}-limit-${dimension}`, `${prefix}-remaining-${dimension}`, `${prefix}-reset-${dimension}`];
}

/** A span in OpenAI's form: `850ms`, `1s`, `6m0s`. */
function duration(milliseconds: number): string {
  const span = Math.max(0, milliseconds);
  if (span < 1000) return `${span}ms`;
  const seconds = Math.ceil(span / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
