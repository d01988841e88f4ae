/** Numbers and instants in the reader's language. Points are decimal strings, and stay exact until they are shown. */
import { locale } from "./locale.ts";

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

/** An amount of money, such as `"100.00"` of `CNY`. */
export function money(text: string, currency: string): string {
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
  return numbers({
    style: "percent",
    maximumFractionDigits: part !== 0 && Math.abs(part) < 0.1 ? 1 : 0,
  }).format(part);
}

function instants(options: Intl.DateTimeFormatOptions, at: string | number): string {
  return new Intl.DateTimeFormat(tag(), options).format(new Date(at));
}

/** A day, in the reader's time zone. */
export const day = (at: string | number) => instants({ dateStyle: "medium" }, at);

/** An instant to the minute, in the reader's time zone. */
export const minute = (at: string | number) => instants({ dateStyle: "medium", timeStyle: "short" }, at);

/** An instant to the second, in the reader's time zone. */
export const second = (at: string | number) => instants({ dateStyle: "medium", timeStyle: "medium" }, at);

/** An instant to the second in little room, in the reader's time zone. */
export const clock = (at: string | number) =>
  instants(
    {
      month: "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    },
    at,
  );

/** The beginning of an hour, a day or a month of usage, which are UTC's. */
export function step(at: string, unit: "hour" | "day" | "month"): string {
  const options = {
    hour: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    day: { month: "short", day: "numeric" },
    month: { year: "numeric", month: "short" },
  } as const;
  return instants({ ...options[unit], timeZone: "UTC" }, at);
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
