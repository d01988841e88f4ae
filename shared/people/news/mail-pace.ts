/** How fast mails of news leave, so that codes find room at the service (mails.md "Codes come first"). */
import { newsLimits } from "./bounds.ts";

/** The pace of one run. */
export interface MailPace {
  /** Takes a place for a mail of an organization in this run. False: it has to wait for another run. */
  take(organization: string): boolean;
  /** Sends when it is its turn: one after the other, and not too soon. */
  inTurn<Value>(send: () => Promise<Value>): Promise<Value>;
}

/** A new pace. `pause` waits for so many milliseconds. */
export function createMailPace(pause: (ms: number) => Promise<void>): MailPace {
  const taken = new Map<string, number>();
  let all = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(organization) {
      const own = taken.get(organization) ?? 0;
      if (all >= newsLimits.mailsOfRunMax || own >= newsLimits.mailsOfOrganizationMax) return false;
      taken.set(organization, own + 1);
      all += 1;
      return true;
    },
    inTurn(send) {
      const sent = last.then(send);
      last = sent.then(
        () => pause(newsLimits.mailGapMs),
        () => pause(newsLimits.mailGapMs),
      );
      return sent;
    },
  };
}
