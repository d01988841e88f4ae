/** Who has seen a fault. What one organization alone sees moves nobody else (README.md "Witnesses"). */
import { shortName } from "../../base/platform/id.ts";

/** Two organizations of a model hardly ever have the same name. */
const nameChars = 4;

/** An organization's name on the board: a short hash, because all of its writes repeat it. */
export function witnessOf(organization: string): string {
  return shortName(organization, nameChars);
}

/** Times to the first byte are told apart by so many lanes, because each lane has a histogram of its own. */
const lanes = 8;

/** The lane of a witness: its first-byte times are counted there. None has none. */
export function laneOf(witness: string | undefined): number | undefined {
  return witness ? Number.parseInt(witness, 36) % lanes : undefined;
}

interface WitnessTally {
  /** Adds what was counted, and who has seen how much of it. */
  add(count?: number, seenBy?: Readonly<Record<string, number>>): void;
  /** What counts for a witness: all, but of whoever else has seen most no more than the next one has seen. */
  countFor(witness: string | undefined): number;
}

/** Adds up the faults of a channel, or a model's races, over several windows. */
export function createTally(): WitnessTally {
  let all = 0;
  let seen: Map<string, number> | undefined;
  return {
    add(count = 0, seenBy) {
      all += count;
      for (const witness in seenBy) {
        seen ??= new Map();
        seen.set(witness, (seen.get(witness) ?? 0) + (seenBy[witness] ?? 0));
      }
    },
    countFor(witness) {
      let [loudest, most, next] = ["", 0, 0];
      for (const [name, count] of seen ?? []) {
        if (count > most) [loudest, most, next] = [name, count, most];
        else if (count > next) next = count;
      }
      return loudest === witness ? all : Math.max(0, all - (most - next));
    },
  };
}
