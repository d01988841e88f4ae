/** What went wrong with a call of the API, in a form that pages can explain. */

import type { HumanTask } from "./human-worker.ts";
import type { FrameWords } from "./locale.ts";

/**
 * Codes of our own, where no answer came: no code of the contract has them. `moved`: the call was not even sent. `stopped`:
 * somebody closed what the browser had asked them, or it waited too long.
 */
export const noAnswer = { offline: 1, late: 2, unreadable: 3, moved: 4, stopped: 5 } as const;

export class Problem extends Error {
  /** Of the contract's table of errors, or of `noAnswer`. */
  readonly code: number;
  readonly status: number;
  readonly requestId: string | undefined;
  /** A reason (shared/base/errors.ts), where the code does not say it, or the field of the request that is wrong. */
  readonly reason: string | undefined;
  /** How many seconds to wait before the next try. */
  readonly retryAfter: number | undefined;
  /** A proof of work that is asked for before the call is taken. */
  readonly human: HumanTask | undefined;

  constructor(message: string, told: Partial<Omit<Problem, "message" | "name">> & { code: number }) {
    super(message);
    this.name = "Problem";
    this.code = told.code;
    this.status = told.status ?? 0;
    this.requestId = told.requestId;
    this.reason = told.reason;
    this.retryAfter = told.retryAfter;
    this.human = told.human;
  }
}

interface ErrorBody {
  error?: { code?: number | string; message?: string; reason?: string; human?: HumanTask };
}

/** The problem that an answer tells. A body of another form still gives one. */
export async function problemOf(answer: Response): Promise<Problem> {
  const body = (await answer.json().catch(() => ({}))) as ErrorBody;
  const { code, message, reason, human } = body.error ?? {};
  const wait = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return new Problem(message ?? answer.statusText, {
    code: Number(code ?? answer.status * 100),
    status: answer.status,
    requestId: answer.headers.get("x-request-id") ?? undefined,
    reason,
    retryAfter: Number.isFinite(wait) ? wait : undefined,
    human,
  });
}

/** What a reader is told of a problem: what happened, and then why, and what to do about it. */
export function told(
  { code, reason, retryAfter, message }: Problem,
  { problems, reasons, wait, failed }: Pick<FrameWords, "problems" | "reasons" | "wait" | "failed">,
): [what: string, sentences: string[]] {
  const known = problems[code] ?? (Math.floor(code / 100) === 500 ? problems[50000] : undefined);
  const [what, todo] = known ?? [failed, message];
  // Of `title.name` and `limits.rpm` the part before the dot may have words for all.
  const why = reason && (reasons[reason] ?? reasons[reason.split(".")[0] ?? ""]);
  const isOwn = !why && (code === 40910 || code === 40000);
  const sentences = [why || (isOwn && message), retryAfter ? waitOf(retryAfter, wait) : !why && todo];
  return [what, sentences.filter((each) => typeof each === "string" && each !== "") as string[]];
}

/** In seconds up to two minutes, then in minutes, and in hours from two hours on. */
function waitOf(seconds: number, wait: FrameWords["wait"]): string {
  if (seconds <= 120) return wait(seconds, 0);
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 120 ? wait(minutes, 1) : wait(Math.ceil(minutes / 60), 2);
}

/** What the errors of browsers mean, by their names. */
const named: Readonly<Record<string, number>> = {
  TimeoutError: noAnswer.late,
  NotAllowedError: noAnswer.stopped,
  InvalidStateError: noAnswer.stopped,
};

/** Any error as a problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : String(error);
  const name = error instanceof Error ? error.name : "";
  return new Problem(message, { code: named[name] ?? noAnswer.offline });
}
