/** What a service that sends mails is to the rest: one function, and its settings. */
import type { Mail } from "./words.ts";

/** What a stage's file says of its mails. */
export interface MailSettings {
  /** The address that mails come from. SES has verified it, or its domain. */
  from: string;
  /** Another address of the service, such as that of a local inbox. */
  endpoint?: string;
}

/** Asks a service once to send a mail. Throws `SendRefused` where the service says no, and other errors as they come. */
export type MailService = (to: string, mail: Mail) => Promise<void>;
