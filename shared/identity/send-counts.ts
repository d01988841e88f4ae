/** Which counts a message has: of its sender's address, of its number, and of the stage (identity/sms/README.md "The guard"). */
import { spanEnd, spanOf } from "../billing/period.ts";
import { addressOf } from "./address.ts";
import { blockOf, rangeOf } from "./phone.ts";
import type { SmsLimits } from "./sms/settings.ts";
import type { Count } from "./velocity.ts";

/** A count that can be full. */
export interface Limited extends Count {
  most: number;
  /** Whether a proof of work is asked for long before it is full. */
  warms?: true;
}

/** A message that somebody asks for. */
export interface Asked {
  phone: string;
  country: string;
  ip: string;
  /** Unix milliseconds. */
  at: number;
}

/** The counts that may stop a message. */
export function limitedCounts(asked: Asked, limits: SmsLimits & { day: number }): Limited[] {
  const { phone, country, at } = asked;
  const { ip, network } = addressOf(asked.ip);
  const hour = windowOf("hour", at);
  return [
    { what: `ip:${ip}`, most: limits.ip_hour, warms: true, ...hour },
    { what: `network:${network}`, most: limits.network_hour, ...hour },
    { what: `prefix:${rangeOf(phone)}`, most: limits.prefix_hour, warms: true, ...hour },
    { ...countryCount(country, at), most: limits.country_day },
    { ...dayCount(at), most: limits.day },
  ];
}

/** The messages to numbers of a country on a UTC day. All countries have one item, so that they can be listed. */
export function countryCount(country: string, at: number): Count {
  return { what: "countries", of: country, most: undefined, ...windowOf("day", at) };
}

/** All messages of a UTC day. */
export function dayCount(at: number): Count {
  return { what: "all", most: undefined, ...windowOf("day", at) };
}

/** The messages to a block of a million numbers within an hour, by which pumping is told. They have no limit. */
export function blockCount(phone: string, at: number): Count {
  return { what: `block:${blockOf(phone)}`, most: undefined, ...windowOf("hour", at) };
}

/** The uses of an answer to a challenge: one. */
export function proofCount(nonce: string, ends_at: number): Count {
  return { what: `human:${nonce}`, window: "once", most: 1, ends_at };
}

function windowOf(unit: "hour" | "day", at: number): Pick<Count, "window" | "ends_at"> {
  const window = spanOf(at, unit);
  return { window, ends_at: spanEnd(window) };
}
