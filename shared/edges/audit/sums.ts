/** The audit of sums: rollups as they come. Of a place no more is in memory than its days, its months and one hour. */
import type { BillingMode, Organization } from "../../books/accounts/account.ts";
import { unitOf } from "../../books/billing/period.ts";
import { formatPoints } from "../../books/billing/points.ts";
import type { Ledger, PlacedRollup, RollupOwner } from "../../books/ledger/ledger.ts";
import { Gaps } from "./gaps.ts";
import { finding, foundIn } from "./kept.ts";
import { type Finding, SealedSums } from "./rollups.ts";
import { addHour, noUses, type UseAccounts, type Uses } from "./uses.ts";
import { compareUnmet, type WalkDeps, type Walked } from "./walk.ts";

interface SumsDeps extends WalkDeps {
  ledger: WalkDeps["ledger"] & Pick<Ledger, "seal"> & { rollupsIn: RollupsIn };
}

/** All rollups of some places, each place in the order of its spans. `tell` hears of those that cannot be read. */
export type RollupsIn = (
  places: Iterable<RollupOwner>,
  tell?: (why: string) => void,
) => AsyncIterable<PlacedRollup>;

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
  /** Of keys: where calls are booked, and what they are charged to. */
  places: readonly RollupOwner[];
  modes: ReadonlyMap<string, BillingMode>;
  accounts: UseAccounts;
  /** The first hour that the walk was about. */
  since: string | undefined;
}

/** Reads all rollups, and adds up what they have charged. */
export async function readSums(known: Known, deps: SumsDeps): Promise<ReadSums> {
  const rest = new Gaps();
  const [days, months] = [new SealedSums("day"), new SealedSums("month")];
  const sums = { uses: noUses(), rollups: 0, rest };
  const tell = (why: string) => rest.add("rollups_match_entries", [why]);
  const owners = new Map(known.organizations.map((each) => [each.id, each]));
  let place: PlacedRollup | undefined;
  let hour: PlacedRollup[] = [];
  let done: ReadonlySet<string> = new Set();
  const end = async () => {
    const [first] = hour;
    if (first) await addWhole(sums, hour, { ...known, owner: owners.get(first.organization), done }, deps);
    sums.rollups += hour.length;
    hour = [];
  };
  for await (const rollup of deps.ledger.rollupsIn(placesOf(known), tell)) {
    const { organization, project, span } = rollup;
    if (place?.organization !== organization || place.project !== project) {
      await end();
      place = rollup;
      done = new Set(known.walked.compared[organization]);
      const seal = await deps.ledger.seal(organization, project);
      days.open(seal.day);
      months.open(seal.month);
    }
    days.take(rollup);
    months.take(rollup);
    if (unitOf(span) !== "hour") continue;
    if (hour[0]?.span !== span) await end();
    hour.push(rollup);
  }
  await end();
  return { ...sums, days: sealedFinding("day", "hour", days), months: sealedFinding("month", "day", months) };
}

/**
 * The places that calls can be booked in, which are organizations and the projects of their keys, and those that were met.
 * Those of one organization follow each other.
 */
function placesOf({ walked, organizations, places }: Known): Iterable<RollupOwner> {
  const all = [
    ...organizations.map(({ id }) => ({ organization: id, project: "" })),
    ...places,
    ...walked.places.map(([organization, project]) => ({ organization, project })),
  ];
  const byOwner = Map.groupBy(all, ({ organization }) => organization).values();
  return [...byOwner].flatMap((own) => [...new Map(own.map((place) => [place.project, place])).values()]);
}

function sealedFinding(unit: string, part: string, sealed: SealedSums): Finding {
  const { points, count } = sealed;
  return finding(
    sealed.end(),
    `${count} rollups of sealed ${unit}s and their ${part}s: ${formatPoints(points)} points in each`,
  );
}

/** Adds an hour of a place. One that the walk has not met is compared with its entries now. */
async function addWhole(
  { uses, rest }: Pick<ReadSums, "uses" | "rest">,
  hour: readonly PlacedRollup[],
  {
    owner,
    done,
    modes,
    accounts,
    since = "",
  }: Known & { owner: Organization | undefined; done: ReadonlySet<string> },
  deps: SumsDeps,
): Promise<void> {
  const [{ organization, project, span } = { organization: "", project: "", span: "" }] = hour;
  const add = async () => {
    if (span >= since && !done.has(`${project} ${span}`))
      await compareUnmet({ organization, project, hour: span }, rest, deps);
    if (!owner) return [`${organization} has rollups, and is not there`];
    if (project === "") await addHour(uses, owner, hour, { modes, accounts, kept: deps.kept });
    return [];
  };
  const name = `${organization} ${project || "*"}: its account, or an hour of it,`;
  rest.add("rollups_match_entries", await foundIn(name, add));
}
