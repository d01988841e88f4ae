/**
 * What is told of measures and their thresholds (README.md "Once, of what"), as arithmetic.
 */
import type { AuditedChange, AuditFacts } from "../identity/audit.ts";
import { thresholdLimits } from "./bounds.ts";

/** A threshold of a measure: what its line says, and whether it is reached now. */
interface Threshold {
  facts: AuditFacts;
  isReached: boolean;
}

/** Something that is measured in a period. */
export interface ThresholdMeasure extends Pick<AuditedChange, "kind" | "subject"> {
  /** Which one, among those of the meter. */
  name: string;
  /** Against what. Against something else, its thresholds count anew. */
  of: string;
  /** Its period is over: what was told of it stays told, whatever it is measured against now. */
  isOver: boolean;
  /** In the order in which they are reached: where one is, those before it are. */
  thresholds: readonly Threshold[];
}

/** What was told of a measure. */
interface ThresholdMark {
  of: string;
  /** How many of its thresholds. */
  told: number;
}

/** The marks of a meter, by the names of its measures. */
export type ThresholdMarks = Readonly<Record<string, ThresholdMark>>;

/** A threshold that is reached, and was not told. */
export interface ReachedThreshold {
  measure: ThresholdMeasure;
  facts: AuditFacts;
}

/** How many thresholds of a measure were told. */
function toldOf({ name, of, isOver, thresholds }: ThresholdMeasure, marks: ThresholdMarks): number {
  const mark = marks[name];
  if (mark === undefined || mark.of === of) return mark?.told ?? 0;
  // Changed since: the period was not measured against that.
  return isOver ? thresholds.length : 0;
}

/** The thresholds that are reached and were not told, at most as many as one transaction takes. */
export function untold(measures: readonly ThresholdMeasure[], marks: ThresholdMarks): ReachedThreshold[] {
  const reached = measures.flatMap((measure) =>
    measure.thresholds
      .slice(toldOf(measure, marks))
      .flatMap(({ isReached, facts }) => (isReached ? [{ measure, facts }] : [])),
  );
  return reached.slice(0, thresholdLimits.linesMax);
}

/**
 * The marks after these thresholds were told. `isWhole`: everything of the meter was measured, so marks of what is not
 * measured any more go.
 */
export function marksAfter(
  marks: ThresholdMarks,
  told: readonly ReachedThreshold[],
  { measures, isWhole }: { measures: readonly ThresholdMeasure[]; isWhole: boolean },
): ThresholdMarks {
  const measured = new Set(measures.map(({ name }) => name));
  const kept = Object.entries(marks).filter(([name]) => !isWhole || measured.has(name));
  const after: Record<string, ThresholdMark> = Object.fromEntries(kept);
  for (const { measure } of told) after[measure.name] = { of: measure.of, told: toldOf(measure, after) + 1 };
  return after;
}
