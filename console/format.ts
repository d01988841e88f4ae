/** Numbers and instants in the reader's language. Points are decimal strings, and stay exact until they are shown. */
import { frameWords, locale } from "./locale.ts";

const tag = () => (locale.value === "zh" ? "zh-CN" : "en");

const formats = new Map<string, Intl.NumberFormat>();

function numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = `${tag()} ${JSON.stringify(options)}`;
  const known = formats.get(name) ?? new Intl.NumberFormat(tag(), options);
  formats.set(name, known);
  return known;
}

/** `Intl` takes a decimal string and loses no digit of it; TypeScript's types do not say so yet. */
const exact = (text: string) => text as unknown as bigint;

/** Points to read: two digits behind the point, and for less than a point the first three that count. */
export function points(text: string): string {
  const isSmall = /^-?0*(?:\.|$)/.test(text);
  if (!/[1-9]/.test(text)) return "0";
  const options = isSmall
    ? { maximumSignificantDigits: 3 }
    : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return numbers(options).format(exact(text));
}

/** Points with all their digits. */
export function allPoints(text: string): string {
  return numbers({ maximumFractionDigits: 18 }).format(exact(text));
}

/** The name of a plan, which the catalog writes small. */
export function planName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** An amount of money, such as `"100.00"` of `CNY`; or of points, which pay for a plan. */
export function money(text: string, currency: string): string {
  if (currency === "points") return frameWords.value.pointsOf(points(text));
  return numbers({ style: "currency", currency }).format(exact(text));
}

export function count(value: number): string {
  return numbers({}).format(value);
}

/** A count in little room, such as 1.2M. */
export function shortCount(value: number): string {
  return numbers({ notation: "compact", maximumSignificantDigits: 3 }).format(value);
}

/** A part of one, such as 0.25. */
export function percent(part: number): string {
  const maximumFractionDigits = part !== 0 && Math.abs(part) < 0.1 ? 1 : 0;
  return numbers({ style: "percent", maximumFractionDigits }).format(part);
}

/** In UTC, as usage, statements and invoices count days: one clock for the whole console. */
function instants(options: Intl.DateTimeFormatOptions, at: string | number): string {
  return new Intl.DateTimeFormat(tag(), { ...options, timeZone: "UTC" }).format(new Date(at));
}

/** A day of UTC. */
export const day = (at: string | number) => instants({ dateStyle: "medium" }, at);

/** An instant to the minute, with its zone. */
export const minute = (at: string | number) =>
  `${instants({ dateStyle: "medium", timeStyle: "short" }, at)} UTC`;

/** An instant to the second, with its zone. */
export const second = (at: string | number) =>
  `${instants({ dateStyle: "medium", timeStyle: "medium" }, at)} UTC`;

/** How an hour stands in little room, without its zone. */
const hour = {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
} as const;

/** An instant to the second in little room. What stands above it names the zone. */
export const clock = (at: string | number) => instants({ ...hour, second: "2-digit" }, at);

/** The beginning of an hour, a day or a month of usage. */
export function step(at: string, unit: "hour" | "day" | "month"): string {
  const options = {
    hour,
    day: { month: "short", day: "numeric" },
    month: { year: "numeric", month: "short" },
  } as const;
  return instants(options[unit], at);
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** How far an instant is from `now`: `2 hours ago`, `in 3 days`. */
export function away(at: string, now: number): string {
  const ms = Date.parse(at) - now;
  const [unit, size] = units.find(([, each]) => Math.abs(ms) >= each) ?? (["second", 1_000] as const);
  return new Intl.RelativeTimeFormat(tag(), { numeric: "auto" }).format(Math.round(ms / size), unit);
}

/** How long something took. */
export function took(ms: number): string {
  if (ms < 1_000) return numbers({ style: "unit", unit: "millisecond" }).format(Math.round(ms));
  return numbers({ style: "unit", unit: "second", maximumFractionDigits: 1 }).format(ms / 1_000);
}
