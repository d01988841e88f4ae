/** What is kept of a meter whose thresholds are told, and its store. */
import type { AuditEntry } from "../identity/audit.ts";
import type { ThresholdMarks } from "./measure.ts";
import type { UsedSample } from "./pace.ts";

export interface ThresholdState {
  meter: string;
  organization: string;
  /** Rises with each change. 0: nothing is stored yet. */
  revision: number;
  marks: ThresholdMarks;
  samples: readonly UsedSample[];
  /** What a wallet of several shards was credited, and by which credits, when that was read last; null: never. */
  granted: { points: bigint; credits: bigint } | null;
}

/** A state that is stored, and is not what we write. */
export interface UnreadableState {
  meter: string;
  unreadable: string;
}

/** The store of what was told. Every read is strongly consistent. */
export interface ThresholdStore {
  /** The states of these meters, at most 100, by the meters. Those that nobody has looked at are missing. */
  of(meters: readonly string[]): Promise<Map<string, ThresholdState | UnreadableState>>;
  /**
   * Replaces a state as it was read, in one transaction with lines of the audit log. False where somebody else has
   * replaced it since: then nothing was written.
   */
  change(
    before: ThresholdState,
    after: Pick<ThresholdState, "marks" | "samples" | "granted">,
    lines: readonly AuditEntry[],
  ): Promise<boolean>;
}

/** The state of a meter that nobody has looked at. */
export function newThresholdState(meter: string, organization: string): ThresholdState {
  return { meter, organization, revision: 0, marks: {}, samples: [], granted: null };
}
