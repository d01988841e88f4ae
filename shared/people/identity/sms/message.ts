/** A message, and what a service that sends messages is to the rest: one function. */

import { entryOf } from "../../../base/json/fields.ts";
import type { PlanEnding } from "../sending.ts";

interface Common {
  /** In E.164. */
  phone: string;
  /** A language, such as `zh`. */
  locale: string;
}

/** A message that is about to be sent: a code, or that a plan ends. */
export type SmsMessage = Common & ({ code: string } | PlanEnding);

/** Asks a service once to send a message. Throws `SendRefused` where the service says no, and other errors as they come. */
export type SmsService = (message: SmsMessage) => Promise<void>;

/** Templates or, of AWS, texts, by what they are for and by language. */
interface Templates {
  templates: Readonly<Record<string, string>>;
  /** Absent: nobody is told that a plan ends. */
  expiry_templates?: Readonly<Record<string, string>>;
}

/** The template of a message, and the values of its variables in their order. */
export function contentOf(
  message: SmsMessage,
  { templates, expiry_templates = {} }: Templates,
): { template: string; values: Record<string, string> } {
  const { locale } = message;
  if ("code" in message) return { template: templateFor(templates, locale), values: { code: message.code } };
  const { plan, days } = message;
  return { template: templateFor(expiry_templates, locale), values: { plan, days: String(days) } };
}

/** The template of a language, or the first one there is. */
function templateFor(templates: Readonly<Record<string, string>>, locale: string): string {
  const [language = ""] = locale.toLowerCase().split("-");
  return entryOf(templates, language) ?? Object.values(templates)[0] ?? "";
}

/** The protocol and the host of an endpoint such as `https://sms.example.com`. A bare host is taken as https. */
export function endpointParts(endpoint: string): { protocol: "http" | "https"; host: string } {
  const [, protocol, host = endpoint] = /^(https?):\/\/([^/]+)\/?$/.exec(endpoint) ?? [];
  return { protocol: protocol === "http" ? "http" : "https", host };
}
