/** A message, and what a service that sends messages is to the rest: one function, and one error. */

/** A message that is about to be sent. */
export interface Message {
  /** In E.164. */
  phone: string;
  code: string;
  /** A language, such as `zh`. */
  locale: string;
}

/** Asks a service once to send a message. Throws `SmsRefused` where the service says no, and other errors as they come. */
export type SmsService = (message: Message) => Promise<void>;

/** A service's own word for why it did not send. Its message is left out, because services quote phone numbers in it. */
export class SmsRefused extends Error {
  readonly code: string;
  readonly status: number | undefined;

  constructor(code: unknown, status?: number) {
    const word = typeof code === "string" && /^[\w.:-]{1,80}$/.test(code) ? code : "unknown";
    super(`the service answered ${word}`);
    this.name = "SmsRefused";
    this.code = word;
    this.status = status;
  }
}

/** The template of a language, or the first one there is. */
export function templateFor(templates: Readonly<Record<string, string>>, locale: string): string {
  const [language = ""] = locale.toLowerCase().split("-");
  const own = Object.hasOwn(templates, language) ? templates[language] : undefined;
  return own ?? Object.values(templates)[0] ?? "";
}

/** The protocol and the host of an endpoint such as `https://sms.example.com`. A bare host is taken as https. */
export function endpointParts(endpoint: string): { protocol: "http" | "https"; host: string } {
  const [, protocol, host = endpoint] = /^(https?):\/\/([^/]+)\/?$/.exec(endpoint) ?? [];
  return { protocol: protocol === "http" ? "http" : "https", host };
}
