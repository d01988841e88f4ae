import { allPoints, points } from "../format.ts";

/** Points to read, with all their digits where the pointer rests. */
export function Points({ of }: { of: string }) {
  return (
    <span class="number" title={allPoints(of)}>
      {points(of)}
    </span>
  );
}
