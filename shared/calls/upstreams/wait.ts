/** How long a provider that limits us asks us to wait, wherever its answer says so. */
import { asText, type Fields } from "../../base/json/fields.ts";
import { limits } from "../../base/limits.ts";
import type { ProviderError } from "./provider-error.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Units of spans such as `6m0s` or `17ms`, in milliseconds. */
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const span = /^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/;

/**
 * The wait that an answer asks for, in ms from `now` (Unix ms), at most `limits.upstreamWaitMaxMs`. First comes
 * `retry-after-ms`, then `retry-after`, Google's RetryInfo, reset headers, OpenAI's message.
 */
export function waitAsked(headers: Headers, error: ProviderError, now: number): number | undefined {
  const places = [
    () => milliseconds(text(headers, "retry-after-ms")),
    () => retryAfter(text(headers, "retry-after"), now),
    () => retryInfo(error.details),
    () => resets(headers, now),
    () => spanOf(/\btry again in (\d[\d.a-z]{0,20}?)[.,]?(?:\s|$)/i.exec(error.message ?? "")?.[1]),
  ];
  for (const read of places) {
    const ms = read();
    if (ms !== undefined && Number.isFinite(ms)) {
      return Math.min(Math.max(0, Math.ceil(ms)), limits.upstreamWaitMaxMs);
    }
  }
  return undefined;
}

function text(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value.trim() : undefined;
}

function milliseconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function retryAfter(value: string | undefined, now: number): number | undefined {
  const seconds = milliseconds(value);
  if (seconds !== undefined) return seconds * 1000;
  const at = value !== undefined && /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at - now;
}

function retryInfo(details: readonly Fields[]): number | undefined {
  const info = details.find((detail) => asText(detail["@type"]).endsWith("/google.rpc.RetryInfo"));
  return spanOf(info?.retryDelay);
}

/** What follows `x-ratelimit-reset` and `-remaining`: OpenAI's kinds, Cerebras' by time, and nothing. */
const kinds = [
  ...["-requests", "-tokens"].flatMap((kind) =>
    ["", "-minute", "-hour", "-day"].map((time) => `x-ratelimit-{}${kind}${time}`),
  ),
  "x-ratelimit-{}",
  "ratelimitbysize-{}",
];

/**
 * The reset of what is used up: the later one of several. Where nothing is, that of what nothing is said of. Where more
 * is left of everything, the soonest: it is the shortest time that the request is too much for.
 */
function resets(headers: Headers, now: number): number | undefined {
  const all = kinds.flatMap((kind) => {
    const ms = resetIn(text(headers, kind.replace("{}", "reset")), now);
    return ms === undefined ? [] : [{ ms, left: text(headers, kind.replace("{}", "remaining")) }];
  });
  const spent = all.filter(({ left }) => left === "0");
  const unknown = all.filter(({ left }) => left === undefined);
  const later = spent.length > 0 ? spent : unknown;
  if (later.length > 0) return Math.max(...later.map(({ ms }) => ms));
  return all.length > 0 ? Math.min(...all.map(({ ms }) => ms)) : undefined;
}

/** Numbers from here on are a moment: of Unix seconds, and of Unix milliseconds. */
const [moments, msMoments] = [1e9, 1e12];

/** A span such as `6m0s`, seconds (Cerebras, Mistral, Together), or a moment (OpenRouter). */
function resetIn(value: string | undefined, now: number): number | undefined {
  const number = milliseconds(value);
  if (number === undefined) return spanOf(value);
  if (number >= msMoments) return number - now;
  return number >= moments ? number * 1000 - now : number * 1000;
}

function spanOf(value: unknown): number | undefined {
  if (typeof value !== "string" || value.length > 40 || !span.test(value)) return undefined;
  const parts = value.matchAll(/(?<!\d)(\d+(?:\.\d+)?)(ms|[smhd])/g);
  return [...parts].reduce((sum, [, count, unit = ""]) => sum + Number(count) * (units[unit] ?? 0), 0);
}
