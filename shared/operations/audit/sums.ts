/** The audit of sums: the rollups of one place after the other, so that no more than one place is in memory. */
import type { BillingMode, Organization } from "../../accounts/account.ts";
import { unitOf } from "../../billing/period.ts";
import { formatPoints } from "../../billing/points.ts";
import type { Ledger, PlacedRollup } from "../../ledger/ledger.ts";
import { Gaps } from "./gaps.ts";
import { finding, foundIn } from "./kept.ts";
import { type Finding, sealedMatch } from "./rollups.ts";
import { type Accounts, addHours, noUses, type Uses } from "./uses.ts";
import { compareRest, type WalkDeps, type Walked } from "./walk.ts";

export interface SumsDeps extends WalkDeps {
  ledger: WalkDeps["ledger"] &
    Pick<Ledger, "seal"> & { everyRollup(tell?: (why: string) => void): AsyncIterable<PlacedRollup> };
}

/** What the rollups come to. */
export interface ReadSums {
  uses: Uses;
  days: Finding;
  months: Finding;
  rollups: number;
  /** What hours differ from their entries by that the walk has not met. */
  rest: Gaps;
}

interface Known {
  walked: Walked;
  organizations: readonly Organization[];
  /** Of keys. */
  modes: ReadonlyMap<string, BillingMode>;
  accounts: Accounts;
  /** The first hour that the walk was about. */
  since: string | undefined;
}

/** Reads all rollups, and adds up what they have charged. */
export async function readSums(known: Known, deps: SumsDeps): Promise<ReadSums> {
  const units = { day: noSealed(), month: noSealed() };
  const sums: ReadSums = {
    uses: noUses(),
    days: finding([], ""),
    months: finding([], ""),
    rollups: 0,
    rest: new Gaps(),
  };
  const all = deps.ledger.everyRollup((why) => sums.rest.add("rollups_match_entries", [why]));
  for await (const rollups of places(all)) {
    const [{ organization, project } = { organization: "", project: "" }] = rollups;
    const seal = await deps.ledger.seal(organization, project);
    for (const unit of ["day", "month"] as const) {
      const { gaps, points, count } = sealedMatch(
        { rollups, seals: [{ organization, project, seal }] },
        unit,
      );
      units[unit].gaps.push(...gaps);
      units[unit].points += points;
      units[unit].count += count;
    }
    const wrong = await foundIn(
      `${organization} ${project || "*"}: its account, or an hour of it,`,
      async () => {
        await addPlace(sums, rollups, known, deps);
        return [];
      },
    );
    sums.rest.add("rollups_match_entries", wrong);
  }
  sums.days = sealedFinding("day", "hour", units.day);
  sums.months = sealedFinding("month", "day", units.month);
  return sums;
}

interface Sealed {
  gaps: string[];
  points: bigint;
  count: number;
}

function noSealed(): Sealed {
  return { gaps: [], points: 0n, count: 0 };
}

function sealedFinding(unit: string, part: string, { gaps, points, count }: Sealed): Finding {
  return finding(
    gaps,
    `${count} rollups of sealed ${unit}s and their ${part}s: ${formatPoints(points)} points in each`,
  );
}

async function addPlace(
  sums: ReadSums,
  rollups: PlacedRollup[],
  { walked, organizations, modes, accounts, since = "" }: Known,
  deps: SumsDeps,
): Promise<void> {
  const [{ organization, project } = { organization: "", project: "" }] = rollups;
  const hours = rollups.filter(({ span }) => unitOf(span) === "hour");
  sums.rollups += hours.length;
  const spans = new Set(hours.map(({ span }) => span).filter((span) => span >= since));
  await compareRest(walked, { organization, project, hours: spans }, sums.rest, deps);
  const owner = organizations.find(({ id }) => id === organization);
  if (!owner) sums.rest.add("rollups_match_entries", [`${organization} has rollups, and is not there`]);
  else if (project === "") await addHours(sums.uses, owner, hours, { modes, accounts, kept: deps.kept });
}

/** The rollups of each place together. The store gives a partition in one piece. */
async function* places(rollups: AsyncIterable<PlacedRollup>): AsyncGenerator<PlacedRollup[]> {
  let own: PlacedRollup[] = [];
  for await (const rollup of rollups) {
    const [first] = own;
    if (first && (first.organization !== rollup.organization || first.project !== rollup.project)) {
      yield own;
      own = [];
    }
    own.push(rollup);
  }
  if (own.length > 0) yield own;
}
