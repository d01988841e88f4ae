/** How a verification code leaves us, and what may stop it. Both ports are behind the operation that sends codes. */

/** A way to send a code to a phone. */
export interface SmsSender {
  /** Sends a code to a number in E.164, in the words of `en` or `zh`. Throws `internal` unless the service has taken it. */
  send(phone: string, code: string, locale: string): Promise<void>;
}

/** That a plan ends, in so many days. */
export interface PlanEnding {
  plan: string;
  days: number;
}

/** A way to tell a phone that a plan ends. */
export interface PlanNotices {
  /** Tells a number in E.164. False where the stage has no template for it. Throws as `SmsSender.send` does. */
  planEnds(phone: string, ending: PlanEnding, locale: string): Promise<boolean>;
}

/** A phone, and where a request about it came from. */
export interface PhoneRequest {
  /** E.164. */
  phone: string;
  /** What the phone's codes go by (`codeName`). */
  name: string;
  /** The address that the request came from. */
  ip: string;
}

/** Who asks for a code. */
export interface SendRequest extends PhoneRequest {
  /** The proof of work or the captcha that the request carries, as the body has it. */
  human: string | undefined;
  /** Whether the phone has an account. Asked where messages are scarce alone. */
  hasAccount: () => Promise<boolean>;
}

/** What became of a request that the guard did not refuse. */
interface AdmittedMessage {
  /** Whether the message is sent. If not, nobody may see that it is not. */
  isSent: boolean;
  /** When phones without an account get messages again, Unix ms, where they get none now. */
  scarce_until: number | undefined;
}

/** What keeps strangers from making us pay for messages. */
export interface SendGuard {
  /** Counts a message before it is sent. Throws `sms_too_often`, or `invalid_request` to ask for a proof of work. */
  admit(request: SendRequest): Promise<AdmittedMessage>;
  /** Somebody has entered a code of a phone. Called once for each code. */
  completed(entered: PhoneRequest): Promise<void>;
}
