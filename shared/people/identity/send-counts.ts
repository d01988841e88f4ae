/** Which counts a message has: of its address, its number and the stage (people/identity/sms/README.md "The guard"). */

import { consoleLimits } from "../../base/console-limits.ts";
import { spanEnd, spanOf } from "../../books/billing/period.ts";
import { addressOf } from "./address.ts";
import { allowedBy, ofStrangers } from "./budget.ts";
import { blockOf, rangeOf } from "./phone.ts";
import type { PhoneRequest } from "./sending.ts";
import type { SmsLimits } from "./sms/settings.ts";
import type { VelocityCount } from "./velocity.ts";

/** A count that can be full. */
export interface Limited extends VelocityCount {
  most: number;
  /** Whether a proof of work is asked for long before it is full. */
  warms?: true;
  /** What may be sent by now, of which phones without an account have a part: this is a budget. */
  allowed?: number;
  strangers?: number;
}

/** A message that somebody asks for. */
interface MessageRequest extends PhoneRequest {
  country: string;
  /** Unix milliseconds. */
  at: number;
}

/** The counts that may stop a message. `raised` is what an operator has added to the day's messages. */
export function limitedCounts(
  asked: MessageRequest,
  limits: SmsLimits & { day: number },
  raised: number,
): Limited[] {
  const { phone, name, country, at } = asked;
  const { ip, network } = addressOf(asked.ip);
  const hour = windowOf("hour", at);
  const budget = (most: number): Pick<Limited, "most" | "allowed" | "strangers"> => {
    const allowed = allowedBy(at, most) + raised;
    return { most: allowed, allowed, strangers: ofStrangers(allowed) };
  };
  return [
    addressShare(name, asked.ip, at),
    { what: `ip:${ip}`, most: limits.ip_hour, warms: true, ...hour },
    { what: `network:${network}`, most: limits.network_hour, ...hour },
    { what: `prefix:${rangeOf(phone)}`, most: limits.prefix_hour, warms: true, ...hour },
    { ...countryCount(country, at), ...budget(limits.country_day) },
    { ...dayCount(at), ...budget(limits.day) },
  ];
}

/** The messages of a UTC day that one address has asked for to one phone, and whose codes nobody has entered. */
export function addressShare(name: string, ip: string, at: number): Limited {
  const what = `phone:${name}:${addressOf(ip).ip}`;
  return { what, most: consoleLimits.codesOfAddressMax, ...windowOf("day", at) };
}

/** The messages to numbers of a country on a UTC day. All countries have one item, so that they can be listed. */
function countryCount(country: string, at: number): VelocityCount {
  return { what: "countries", of: country, most: undefined, ...windowOf("day", at) };
}

/** All messages of a UTC day. */
export function dayCount(at: number): VelocityCount {
  return { what: "all", most: undefined, ...windowOf("day", at) };
}

/** The messages to a block of a million numbers within an hour, by which pumping is told. They have no limit. */
export function blockCount(phone: string, at: number): VelocityCount {
  return { what: `block:${blockOf(phone)}`, most: undefined, ...windowOf("hour", at) };
}

/** The uses of an answer to a challenge: one. */
export function proofCount(nonce: string, ends_at: number): VelocityCount {
  return { what: `human:${nonce}`, window: "once", most: 1, ends_at };
}

function windowOf(unit: "hour" | "day", at: number): Pick<VelocityCount, "window" | "ends_at"> {
  const window = spanOf(at, unit);
  return { window, ends_at: spanEnd(window) };
}
