/** How a stage divides the account's concurrency (infra/resources/console.md "What a stage's file says"). */

/** The settings of a stage that decide it. */
interface ConcurrencySettings {
  console?: { enabled?: boolean; concurrency?: ConsoleConcurrency };
  gatewayConcurrency?: number;
}

/** So many requests at a time, or those that no function reserves. */
export type ConsoleConcurrency = number | "shared";

/** AWS leaves so many to functions that reserve nothing. */
export const unreservedMin = 100;

/** What a console has where its stage's file says nothing. */
const consoleUsual = 50;

/**
 * The requests at a time that are reserved for the console of a stage; undefined where it shares those of the account.
 * The calls have their own where the stage has a `gatewayConcurrency`, and a stage like `dev` is a trial.
 */
export function reservedForConsole(
  { console, gatewayConcurrency }: ConcurrencySettings,
  { isTrial }: { isTrial: boolean },
): number | undefined {
  const set = console?.concurrency;
  if (set === "shared" || console?.enabled === false) return undefined;
  if (set !== undefined) return set;
  return isTrial || gatewayConcurrency !== undefined ? undefined : consoleUsual;
}

/** Why an account that may run so many functions at a time cannot reserve so many; undefined where it can. */
export function whyNotReserved(reserved: number, ofAccount: number): string | undefined {
  if (ofAccount - unreservedMin >= reserved) return undefined;
  return `The console is to have ${reserved} requests at a time of its own. The account may run ${ofAccount} functions at a time, and AWS leaves at least ${unreservedMin} unreserved. Ask AWS for more (service quota L-B99A9384), or write "concurrency": "shared" into "console" of the stage's file: then a flood of sign-ins may take the calls' concurrency (infra/resources/console.md).`;
}
