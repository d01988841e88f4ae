/**
 * Reads RFC 3339 strictly. `Date.parse` does not: it accepts `2026-02-30` and refuses the leap second `23:59:60Z`
 * (billing.md §2.11).
 */
import { dayMs } from "./period.ts";

const pattern = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Unix milliseconds of an RFC 3339 instant, or undefined. Digits below the millisecond are cut off. */
export function instant(text: string): number | undefined {
  const parts = pattern.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = offsetMinutes(parts[8], Number(parts[9] ?? 0), Number(parts[10] ?? 0));
  if (offset === undefined) return undefined;
  const milliseconds = Number((parts[7] ?? "").padEnd(3, "0").slice(0, 3));
  const at = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds;
  // A leap second is the last second of a UTC day. It is read as the first instant of the next day.
  if (second === 60 && (at - milliseconds) % dayMs !== 0) return undefined;
  return second === 60 ? at - milliseconds : at;
}

/**
 * An instant (Unix ms) in RFC 3339, in UTC. A query's offset can lead into the year 10000 or −1, which RFC 3339 cannot
 * write. Such an instant is written with the largest offset, which leads back into a year of four digits.
 */
export function rfc3339(at: number): string {
  const text = new Date(at).toISOString();
  if (/^\d/.test(text)) return text;
  const sign = text.startsWith("+") ? "-" : "+";
  const local = at + (sign === "-" ? -1 : 1) * (dayMs - 60_000);
  return new Date(local).toISOString().replace("Z", `${sign}23:59`);
}

function offsetMinutes(sign: string | undefined, hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (hours * 60 + minutes);
}
