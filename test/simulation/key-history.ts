/**
 * What was changed of a key, and when: who asked, and who got an answer. From this the books know what may be in force at
 * an instant, and what may not. Instants are true time.
 */
import { parsePoints } from "#shared/books/billing/points.ts";
import type { Call } from "./calls.ts";

/** A change that was asked for. One without an answer may be in force or not, for good. */
interface Asked {
  asked: number;
  answered: number;
}

interface BudgetChange extends Asked {
  points: string;
}

interface Switch extends Asked {
  to: "active" | "disabled";
}

interface Rotation extends Asked {
  secret: string;
  overlapMs: number;
}

/** What a budget was changed to. */
export class BudgetHistory {
  readonly #budgets: BudgetChange[];

  constructor(points: string) {
    this.#budgets = [{ points, asked: -Infinity, answered: -Infinity }];
  }

  /** A change is asked for. The function that it gives is to be called at the answer. */
  budget(points: string, now: number): (at: number) => void {
    return answering(this.#budgets, { points, asked: now, answered: Infinity });
  }

  /** The least and the most that the budget may be at some instant between two. */
  budgetsAt(from: number, to: number): { least: bigint; most: bigint } {
    const all = this.#budgets
      .filter((each) => each.asked <= to && replacedAt(each, this.#budgets) > from)
      .map(({ points }) => parsePoints(points))
      .toSorted((a, b) => (a < b ? -1 : 1));
    return { least: all[0] ?? 0n, most: all.at(-1) ?? 0n };
  }
}

/** What budgets of an organization's levels were changed to, by the level's name. */
export type LevelHistories = ReadonlyMap<string, BudgetHistory>;

/** Which of its changes a key has. */
export class KeyHistory extends BudgetHistory {
  readonly #switches: Switch[] = [];
  readonly #rotations: Rotation[];
  /** How wrong the clock of a process may be. */
  readonly #skewMs: number;

  constructor({ secret, points }: { secret: string; points: string }, skewMs: number) {
    super(points);
    this.#rotations = [{ secret, overlapMs: 0, asked: -Infinity, answered: -Infinity }];
    this.#skewMs = skewMs;
  }

  switch(to: Switch["to"], now: number): (at: number) => void {
    return answering(this.#switches, { to, asked: now, answered: Infinity });
  }

  rotation(secret: string, overlapMs: number, now: number): (at: number) => void {
    return answering(this.#rotations, { secret, overlapMs, asked: now, answered: Infinity });
  }

  /** The secrets that clients know. */
  secrets(now: number): string[] {
    return this.#rotations.filter(({ answered }) => answered <= now).map(({ secret }) => secret);
  }

  /** What is wrong with the admission of a call at `now`. */
  stops(call: Pick<Call, "id" | "key" | "calledAt">, now: number): string[] {
    const why = this.#reason(call, now);
    return why === undefined ? [] : [`${call.id} was admitted although ${why}`];
  }

  #reason({ key: { secret }, calledAt }: Pick<Call, "key" | "calledAt">, now: number): string | undefined {
    const off = this.#switches.findLast(({ to, answered }) => to === "disabled" && answered <= now);
    const maybeOn = this.#switches.some(
      ({ to, answered, asked }) => to === "active" && asked <= now && off && answered >= off.asked,
    );
    if (off && !maybeOn) return "its key was disabled";
    const own = this.#rotations.find((each) => each.secret === secret);
    const later = this.#rotations.filter(
      (each) => own && each !== own && each.asked >= own.answered && each.answered <= now,
    );
    const first = later.find(({ asked }) => later.every((each) => each.asked >= asked));
    if (later.some(({ overlapMs }) => overlapMs === 0)) return "its secret was replaced";
    if (later.some((each) => first && each.asked >= first.answered)) return "its secret was replaced twice";
    if (first && calledAt - this.#skewMs > first.answered + first.overlapMs) return "its old secret is over";
    return undefined;
  }

  /** Whether a call may be refused in the name of its key, which is in force at `now`. */
  mayRefuse({ key: { secret }, calledAt }: Pick<Call, "key" | "calledAt">, now: number): boolean {
    if (this.#switches.some(({ asked, answered }) => asked <= now && answered >= calledAt)) return true;
    const own = this.#rotations.find((each) => each.secret === secret);
    const others = this.#rotations.filter(
      (each) => own && each !== own && each.answered >= own.asked && each.asked <= now,
    );
    const [only] = others;
    if (!only) return false;
    return others.length > 1 || only.asked + only.overlapMs <= now + this.#skewMs;
  }
}

function answering<Change extends Asked>(all: Change[], change: Change): (at: number) => void {
  all.push(change);
  return (at) => {
    change.answered = at;
  };
}

/** When a change was surely replaced by another one. */
function replacedAt(change: Asked, all: readonly Asked[]): number {
  if (change.answered === Infinity) return Infinity;
  const later = all.filter((each) => each !== change && each.asked >= change.answered);
  return Math.min(...later.map(({ answered }) => answered));
}
