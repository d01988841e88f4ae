/** What a check of `operator doctor` is, and how all of them are run: side by side, each within a bounded time. */
import type { AccountAction, Ask } from "../account/actions.ts";
import type { Progress } from "../command.ts";

/** `unknown` is a check that could not be made. It says why, and fails nothing. */
export type Status = "ok" | "warn" | "fail" | "unknown";

/** What a check found. */
export interface CheckFinding {
  status: Status;
  /** What was seen, in one sentence without a full stop. */
  seen: string;
  /** What to do about it, where there is something to do. */
  action?: string;
}

/** One thing that is looked at. */
export interface Check {
  name: string;
  run(): Promise<CheckFinding> | CheckFinding;
}

export type CheckResult = { check: string } & CheckFinding;

export const ok = (seen: string): CheckFinding => ({ status: "ok", seen });
export const warn = (seen: string, action: string): CheckFinding => ({ status: "warn", seen, action });
export const fail = (seen: string, action: string): CheckFinding => ({ status: "fail", seen, action });
export const unknown = (seen: string, action: string): CheckFinding => ({ status: "unknown", seen, action });

/** An address that does not answer. `whose` log may say more. */
export const unreachable = (address: string, error: unknown, whose: string): CheckFinding =>
  fail(
    `${address} cannot be reached: ${messageOf(error)}`,
    `look at the network here, and at the log of the ${whose}`,
  );

/** An address at which AWS refuses what is asked, because nothing more may run at a time. */
export const crowded = (address: string, asked: "calls" | "requests"): CheckFinding =>
  fail(`${address} answers 429: AWS refuses ${asked} for lack of concurrency`, "see the check concurrency");

/** An action that the account did not carry out. Its cause is the client's error. */
class Unanswered extends Error {
  readonly action: AccountAction;

  constructor(action: AccountAction, cause: unknown) {
    super(messageOf(cause), { cause });
    this.action = action;
  }
}

/** The same account, whose failures name the action that failed. */
export function naming(ask: Ask): Ask {
  return async (action, input) => {
    try {
      return await ask(action, input);
    } catch (error) {
      throw new Unanswered(action, error);
    }
  };
}

/** Whether AWS says that there is no such thing. */
export function isMissing(error: unknown): boolean {
  const { name = "", message = "" } = causeOf(error);
  return /NotFound|NonExistent|DoesNotExist/i.test(name) || message.includes("does not exist");
}

/** How long one check may take. AWS answers each of them within a second as a rule. */
const checkMsMax = 10_000;

/** Runs the checks side by side and gives what they found, in their order. A check that throws or hangs is `unknown`. */
export async function runChecks(
  checks: readonly Check[],
  progress: Progress,
  timeoutMs: number = checkMsMax,
): Promise<CheckResult[]> {
  return await Promise.all(
    checks.map(async ({ name, run }) => {
      const found = await within(timeoutMs, async () => await run()).catch(whyUnknown);
      progress.count("checks done");
      return { check: name, ...found };
    }),
  );
}

/** What `work` gives, or a finding that it took too long. What it waits for does not keep the process. */
async function within(timeoutMs: number, work: () => Promise<CheckFinding>): Promise<CheckFinding> {
  const late = Promise.withResolvers<CheckFinding>();
  const timer = setTimeout(() => {
    late.resolve(unknown(`there was no answer within ${timeoutMs / 1000} s`, "run the command again"));
  }, timeoutMs);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Why a check could not be made, and what lets it be made. */
function whyUnknown(error: unknown): CheckFinding {
  const { name = "" } = causeOf(error);
  if (isUncredentialed(error)) return noCredentials;
  if (!(error instanceof Unanswered)) return unknown(messageOf(error), "run the command again");
  const { action, message } = error;
  if (isDenied(name)) {
    const role = "assume the role of the stack's output OperatorRoleArn, or let these credentials";
    return unknown(`these credentials may not use ${action}`, `${role} use ${action}`);
  }
  return unknown(`${action} failed: ${message}`, "run the command again, or look at AWS's own health page");
}

const noCredentials = unknown(
  "there are no AWS credentials",
  "sign in (aws sso login, or AWS_PROFILE), or give --local for the gateway of npm start",
);

function isUncredentialed(error: unknown): boolean {
  const { name = "", message = "" } = causeOf(error);
  return /Credential|TokenProvider/.test(name) || /could not load credentials/i.test(message);
}

function isDenied(name: string): boolean {
  return /AccessDenied|NotAuthorized|Unauthorized|AuthorizationError/.test(name);
}

function causeOf(error: unknown): { name?: string; message?: string } {
  const cause = error instanceof Unanswered ? error.cause : error;
  return cause instanceof Error ? cause : {};
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `3 tables`, `1 table`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
