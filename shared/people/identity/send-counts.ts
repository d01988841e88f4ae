/** Which counts a message has: of its address, its number and the stage (people/identity/sms/README.md "The guard"). */

import { consoleLimits } from "../../base/console-limits.ts";
import { spanEnd, spanOf } from "../../books/billing/period.ts";
import { addressOf } from "./address.ts";
import { allowedBy, ofStrangers } from "./budget.ts";
import type { Contact, ContactKind } from "./contact.ts";
import type { ContactRequest } from "./sending.ts";
import type { SmsLimits } from "./sms/settings.ts";
import type { VelocityCount } from "./velocity.ts";

/** A count that can be full. */
export interface Limited extends VelocityCount {
  most: number;
  /** Whether a proof of work is asked for long before it is full. */
  warms?: true;
  /** What may be sent by now, of which contacts without an account have a part: this is a budget. */
  allowed?: number;
  strangers?: number;
}

/** A message that somebody asks for. */
interface MessageRequest extends ContactRequest {
  /** The calling code of a phone; undefined for other contacts. */
  country: string | undefined;
  /** What the contact's neighbors have in common with it (`neighborsOf`). */
  neighbors: string;
  /** Unix milliseconds. */
  at: number;
}

/**
 * The counts that may stop a message. `raised` is what an operator has added to the day's messages. Counts of addresses
 * and networks are the same for all kinds: who has used them up by phones gets no mails either.
 */
export function limitedCounts(
  asked: MessageRequest,
  limits: SmsLimits & { day: number },
  raised: number,
): Limited[] {
  const { contact, name, country, neighbors, at } = asked;
  const { ip, network } = addressOf(asked.ip);
  const hour = windowOf("hour", at);
  const budget = (most: number): Pick<Limited, "most" | "allowed" | "strangers"> => {
    const allowed = allowedBy(at, most) + raised;
    return { most: allowed, allowed, strangers: ofStrangers(allowed) };
  };
  return [
    addressShare(contact, name, asked.ip, at),
    { what: `ip:${ip}`, most: limits.ip_hour, warms: true, ...hour },
    { what: `network:${network}`, most: limits.network_hour, ...hour },
    {
      what: `${contact.kind === "phone" ? "prefix" : "mailbox"}:${neighbors}`,
      ...{ most: limits.prefix_hour, warms: true, ...hour },
    },
    ...(country === undefined ? [] : [{ ...countryCount(country, at), ...budget(limits.country_day) }]),
    { ...dayCount(contact.kind, at), ...budget(limits.day) },
  ];
}

/** The messages of a UTC day that one address has asked for to one contact, and whose codes nobody has entered. */
export function addressShare({ kind }: Contact, name: string, ip: string, at: number): Limited {
  const what = `${kind}:${name}:${addressOf(ip).ip}`;
  return { what, most: consoleLimits.codesOfAddressMax, ...windowOf("day", at) };
}

/** The messages to numbers of a country on a UTC day. All countries have one item, so that they can be listed. */
function countryCount(country: string, at: number): VelocityCount {
  return { what: "countries", of: country, most: undefined, ...windowOf("day", at) };
}

/** All messages of a UTC day to contacts of a kind. */
export function dayCount(kind: ContactKind, at: number): VelocityCount {
  return { what: kind === "phone" ? "all" : "mails", most: undefined, ...windowOf("day", at) };
}

/** The messages to a block of a million numbers within an hour, by which pumping is told. They have no limit. */
export function blockCount(block: string, at: number): VelocityCount {
  return { what: `block:${block}`, most: undefined, ...windowOf("hour", at) };
}

/** The uses of an answer to a challenge: one. */
export function proofCount(nonce: string, ends_at: number): VelocityCount {
  return { what: `human:${nonce}`, window: "once", most: 1, ends_at };
}

function windowOf(unit: "hour" | "day", at: number): Pick<VelocityCount, "window" | "ends_at"> {
  const window = spanOf(at, unit);
  return { window, ends_at: spanEnd(window) };
}
