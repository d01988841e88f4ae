/** What an operator sees of verification messages (people/identity/sms/README.md). */

import { rfc3339 } from "../../books/billing/instant.ts";
import { dayMs, spanOf } from "../../books/billing/period.ts";
import { dayCount } from "../../people/identity/send-counts.ts";
import type { SmsSettings } from "../../people/identity/sms/settings.ts";
import type { Velocity } from "../../people/identity/velocity.ts";

interface SmsStatusDeps {
  velocity: Pick<Velocity, "read" | "countries" | "stops">;
  /** The settings that are in force; undefined where the stage has none. */
  settings: () => Promise<SmsSettings | undefined>;
  now: () => number;
}

interface SmsStatus {
  /** What sends messages; null where nothing does. */
  service: SmsSettings["service"] | null;
  /** The languages that have a text or template. */
  languages: string[];
  limits: SmsSettings["limits"] | null;
  /** The UTC day, and the messages that the guard has let pass on it. */
  day: string;
  messages: number;
  /** The same of mails. */
  mails: number;
  /** What an operator has added to the day's messages. */
  raised: number;
  countries: { country: string; messages: number }[];
  /** The blocks of numbers that get no messages until an instant. */
  stopped: { block: string; until: string }[];
}

/** The service, without its credentials, and today's messages. Throws where the settings cannot be read. */
export async function smsStatus({ velocity, settings, now }: SmsStatusDeps): Promise<SmsStatus> {
  const at = now();
  const [found, all, mails, countries, today, yesterday] = await Promise.all([
    settings(),
    velocity.read(dayCount("phone", at)),
    velocity.read(dayCount("email", at)),
    velocity.countries(at),
    velocity.stops(at),
    velocity.stops(at - dayMs),
  ]);
  const stops = Object.entries({ ...yesterday, ...today }).filter(([, until]) => until > at);
  return {
    service: found?.service ?? null,
    languages: found && "templates" in found ? Object.keys(found.templates) : [],
    limits: found?.limits ?? null,
    day: spanOf(at, "day"),
    messages: all.sent,
    mails: mails.sent,
    raised: all.raised,
    countries: Object.entries(countries)
      .map(([country, messages]) => ({ country, messages }))
      .toSorted((a, b) => b.messages - a.messages),
    stopped: stops.map(([block, until]) => ({ block, until: rfc3339(until) })),
  };
}

/**
 * Adds so many messages to the UTC day's, and as many mails. Gives the day and its added sum. Contacts without an
 * account have their part of them.
 */
export async function raiseMessages(
  messages: number,
  { velocity, now }: { velocity: Pick<Velocity, "raise">; now: () => number },
): Promise<{ day: string; raised: number }> {
  const at = now();
  const [raised] = await Promise.all([
    velocity.raise(dayCount("phone", at), messages),
    velocity.raise(dayCount("email", at), messages),
  ]);
  return { day: spanOf(at, "day"), raised };
}
