/** What went wrong with a call of the API, in a form that pages can explain. */

import type { HumanTask } from "./human-worker.ts";

/** Codes of our own, where no answer came: no code of the contract has them. */
export const noAnswer = { offline: 1, late: 2, unreadable: 3 } as const;

export class Problem extends Error {
  /** Of the contract's table of errors, or of `noAnswer`. */
  readonly code: number;
  readonly status: number;
  readonly requestId: string | undefined;
  /** The field of the request that is wrong. */
  readonly param: string | undefined;
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
    this.param = told.param;
    this.retryAfter = told.retryAfter;
    this.human = told.human;
  }
}

interface ErrorBody {
  error?: { code?: number | string; message?: string; param?: string; human?: HumanTask };
}

/** The problem that an answer tells. A body of another form still gives one. */
export async function problemOf(answer: Response): Promise<Problem> {
  const body = (await answer.json().catch(() => ({}))) as ErrorBody;
  const { code, message, param, human } = body.error ?? {};
  const wait = Number(answer.headers.get("retry-after") ?? Number.NaN);
  return new Problem(message ?? answer.statusText, {
    code: Number(code ?? answer.status * 100),
    status: answer.status,
    requestId: answer.headers.get("x-request-id") ?? undefined,
    param,
    retryAfter: Number.isFinite(wait) ? wait : undefined,
    human,
  });
}

/** Any error as a problem. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : String(error);
  const isLate = error instanceof Error && error.name === "TimeoutError";
  return new Problem(message, { code: isLate ? noAnswer.late : noAnswer.offline });
}
