/**
 * Who has seen a fault. All organizations call the same channels, and a fault may lie in what one of them asks. So each
 * fault is counted by its witness, and what one witness alone sees leaves the channel for nobody else
 * (shared/routing/README.md "Witnesses").
 */
import { shortName } from "../platform/id.ts";
import type { Counts } from "./board.ts";

/** Two organizations of a model hardly ever have the same name. */
const nameChars = 4;

/** An organization's name on the board: a short hash, because all of its writes repeat it. */
export function witnessOf(organization: string): string {
  return shortName(organization, nameChars);
}

interface Tally {
  add(counts: Partial<Counts> | undefined): void;
  /**
   * The faults that count for a witness. They are all, but the witness that has seen most counts for others no more than
   * the next one has seen. So what it has seen alone counts for itself. Undefined is an organization that has seen none.
   */
  faultsFor(witness: string | undefined): number;
}

/** Adds up the faults of a channel over several windows. */
export function createTally(): Tally {
  let all = 0;
  let seen: Map<string, number> | undefined;
  return {
    add({ faults = 0, seen_by } = {}) {
      all += faults;
      for (const witness in seen_by) {
        seen ??= new Map();
        seen.set(witness, (seen.get(witness) ?? 0) + (seen_by[witness] ?? 0));
      }
    },
    faultsFor(witness) {
      let [loudest, most, next] = ["", 0, 0];
      for (const [name, count] of seen ?? []) {
        if (count > most) [loudest, most, next] = [name, count, most];
        else if (count > next) next = count;
      }
      return loudest === witness ? all : Math.max(0, all - (most - next));
    },
  };
}
