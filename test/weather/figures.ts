/** The figures of a run. */
import type { Outcome } from "./world.ts";

export interface Figures {
  calls: number;
  /** Shares of calls, from 0 to 1. */
  tried_dead: number;
  retried: number;
  raced: number;
  /** The share of calls that no channel answered. */
  failed: number;
  /** Of turns that had one before. */
  stayed: number;
  /** First-byte times, in milliseconds. */
  p50: number;
  p99: number;
  claims: number;
  openings: number;
  /** The share of conversations that a turn moved. */
  moved: number;
}

/** The figures of runs of one scenario with different seeds, taken together. */
export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const calls = outcomes.flatMap((outcome) => outcome.calls);
  const share = (count: number, of: number): number => (of === 0 ? 0 : count / of);
  const of = (test: (call: (typeof calls)[number]) => boolean): number =>
    share(calls.filter(test).length, calls.length);
  const times = calls.flatMap(({ first_byte_ms }) => first_byte_ms ?? []).sort((a, b) => a - b);
  const turns = calls.filter(({ stayed }) => stayed !== undefined);
  const total = (name: "claims" | "openings" | "conversations" | "moved"): number =>
    outcomes.reduce((sum, outcome) => sum + outcome[name], 0);
  const at = (part: number): number =>
    times[Math.min(times.length - 1, Math.floor(part * times.length))] ?? 0;
  return {
    calls: calls.length,
    tried_dead: of(({ tried_dead }) => tried_dead),
    retried: of(({ retried }) => retried),
    raced: of(({ raced }) => raced),
    failed: of(({ first_byte_ms }) => first_byte_ms === undefined),
    stayed: share(turns.filter(({ stayed }) => stayed).length, turns.length),
    p50: at(0.5),
    p99: at(0.99),
    claims: total("claims"),
    openings: total("openings"),
    moved: share(total("moved"), total("conversations")),
  };
}
