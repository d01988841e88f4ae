/** A guard of messages over a store, with a clock, a log and limits that a test sets. */
import { GatewayError } from "#shared/base/errors.ts";
import type { LogFields } from "#shared/base/platform/log.ts";
import { peppersOf } from "#shared/base/platform/pepper.ts";
import type { Contact } from "#shared/people/identity/contact.ts";
import { createSendGuard } from "#shared/people/identity/guard.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { type SmsLimits, usualLimits } from "#shared/people/identity/sms/settings.ts";
import type { Velocity } from "#shared/people/identity/velocity.ts";
import { solve } from "../../console/human-worker.ts";

/** What became of a request: `sent`, or the error that refused it. */
export type Outcome = "sent" | "withheld" | GatewayError;

export const easyBits = 4;

interface GuardedOptions {
  limits?: Partial<SmsLimits>;
  perDayMax?: number;
  countries?: readonly string[];
  at: number;
}

/** A guard with proofs of little work, so that tests can have thousands. */
export function guarded(velocity: Velocity, options: GuardedOptions) {
  const { limits = {}, countries = ["+86"], perDayMax = 1e6, at } = options;
  const logs: { event: string; fields: LogFields }[] = [];
  const clock = { at };
  const withAccounts = new Set<string>();
  /** What the last request was told. */
  const scarce: { until: number | undefined } = { until: undefined };
  const guard = createSendGuard({
    velocity,
    settings: async () => ({ limits: { ...usualLimits, ...limits } }),
    countries,
    perDayMax: { phone: perDayMax, email: perDayMax },
    keys: async () => keysOf(peppersOf({ version: 1, value: "accounts" })),
    log: (_level, event, fields = {}) => void logs.push({ event, fields }),
    now: () => clock.at,
    humanBits: easyBits,
  });
  const ask = async (text: string, ip: string, human?: string): Promise<Outcome> => {
    const hasAccount = async () => withAccounts.has(text);
    const contact: Contact = { kind: text.includes("@") ? "email" : "phone", text };
    try {
      const { isSent, scarce_until } = await guard.admit({ contact, name: text, ip, human, hasAccount });
      scarce.until = scarce_until;
      return isSent ? "sent" : "withheld";
    } catch (error) {
      if (error instanceof GatewayError) return error;
      throw error;
    }
  };
  /** Asks as a browser does: solves the challenge, if one comes, and asks again. */
  const askAsBrowser = async (text: string, ip: string): Promise<Outcome> => {
    const outcome = await ask(text, ip);
    const human = outcome instanceof GatewayError ? outcome.detail.human : undefined;
    return human ? await ask(text, ip, solve(human)) : outcome;
  };
  return { guard, clock, logs, withAccounts, scarce, ask, askAsBrowser };
}
