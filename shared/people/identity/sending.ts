/** How a verification code leaves us, and what may stop it. Both ports are behind the operation that sends codes. */

import type { Contact } from "./contact.ts";

/** A way to send a code to contacts of one kind. */
export interface CodeSender {
  /** Sends a code to a contact's text, in the words of `en` or `zh`. Throws `internal` unless the service has taken it. */
  send(to: string, code: string, locale: string): Promise<void>;
}

/** That a plan ends, in so many days. */
export interface PlanEnding {
  plan: string;
  days: number;
}

/** A way to tell contacts of one kind that a plan ends. */
export interface PlanNotices {
  /** Tells a contact by its text. False where the stage has no template for it. Throws as `CodeSender.send` does. */
  planEnds(to: string, ending: PlanEnding, locale: string): Promise<boolean>;
}

/** A contact, and where a request about it came from. */
export interface ContactRequest {
  contact: Contact;
  /** What the contact's codes go by (`codeName`). */
  name: string;
  /** The address that the request came from. */
  ip: string;
}

/** Who asks for a code. */
export interface SendRequest extends ContactRequest {
  /** The proof of work or the captcha that the request carries, as the body has it. */
  human: string | undefined;
  /** Whether the contact has an account. Asked where messages are scarce alone. */
  hasAccount: () => Promise<boolean>;
}

/** What became of a request that the guard did not refuse. */
interface AdmittedMessage {
  /** Whether the message is sent. If not, nobody may see that it is not. */
  isSent: boolean;
  /** When contacts without an account get messages again, Unix ms, where they get none now. */
  scarce_until: number | undefined;
}

/** What keeps strangers from making us pay for messages. */
export interface SendGuard {
  /** Counts a message before it is sent. Throws `sms_too_often`, or `invalid_request` to ask for a proof of work. */
  admit(request: SendRequest): Promise<AdmittedMessage>;
  /** Somebody has entered a code of a contact. Called once for each code. */
  completed(entered: ContactRequest): Promise<void>;
}
