/**
 * Reads and adds up what a usage report shows: rollups and at most two partial hours of entries. By
 * user, entries alone.
 */

import { hourOf, hourStart, nextHour } from "../../billing/period.ts";
import { GatewayError } from "../../errors.ts";
import type { CallLedger, Entry, Place, Seal } from "../../ledger/ledger.ts";
import { limits } from "../../limits.ts";
import { nameableRange, planRange, type RangePlan } from "../../reports/range-plan.ts";
import { countedEvents, negateSums, sumsOf } from "../../reports/report.ts";
import { type GroupDimension, sourceOf, Tally } from "../../reports/report-groups.ts";

type Dimensions = readonly GroupDimension[];

/**
 * Sums of a range, Unix milliseconds, by model and by these dimensions. Throws `invalid_request` where a report would
 * have too many groups, or where a report by user would read too many entries.
 */
export async function sumRange(
  ledger: CallLedger,
  place: Place,
  from: number,
  to: number,
  dimensions: Dimensions = [],
): Promise<Tally> {
  if (dimensions.includes("user")) return await sumEntries(ledger, place, from, to, dimensions);
  const seal = await ledger.seal(place.organization, place.project);
  const parts = planRange(from, to, coarsest(seal, dimensions));
  const tally = await sumParts(ledger, place, parts, dimensions);
  if (parts.spans.every(({ sign }) => sign > 0)) return tally;
  // An entry posted late, between two reads, may be in an hour that was taken away and not yet in its day.
  const { late } = await ledger.seal(place.organization, place.project);
  if (late === seal.late) return tally;
  const added = planRange(from, to, coarsest(seal, dimensions), { subtract: false });
  return await sumParts(ledger, place, added, dimensions);
}

/** The seals to read by: none of spans that are longer than the report's own. */
function coarsest({ day, month }: Seal, dimensions: Dimensions): Pick<Seal, "day" | "month"> {
  if (dimensions.includes("hour")) return { day: "", month: "" };
  return dimensions.includes("day") ? { day, month: "" } : { day, month };
}

async function sumParts(
  ledger: CallLedger,
  { organization, project }: Place,
  { edges, spans }: RangePlan,
  dimensions: Dimensions,
): Promise<Tally> {
  const tally = new Tally(dimensions);
  await Promise.all([
    ...spans.map(async ({ from, to, sign }) => {
      for await (const { sums, ...share } of ledger.eachRollup(organization, project, from, to)) {
        tally.add({ ...share, user: null }, sign > 0 ? sums : negateSums(sums));
        checkGroups(tally);
      }
    }),
    ...edges.map(async ({ from, to }) => {
      const span = hourOf(from);
      for await (const event of countedEvents(ledger.eachEntry(organization, from, to), project)) {
        tally.add(sourceOf(event, span), sumsOf(event));
        checkGroups(tally);
      }
    }),
  ]);
  return tally;
}

/** Sums of entries alone. Several hours are read at a time. */
async function sumEntries(
  ledger: CallLedger,
  place: Place,
  first: number,
  end: number,
  dimensions: Dimensions,
): Promise<Tally> {
  const [from, to] = nameableRange(first, end);
  const tally = new Tally(dimensions);
  if (from >= to) return tally;
  // The rollups say early whether the range has too many calls. They leave out calls that were given back.
  const known = await sumRange(ledger, place, from, to);
  checkEntries([...known.byModel().values()].reduce((sum, { calls }) => sum + calls, 0));

  const hours = await Array.fromAsync(ledger.hoursWithEntries(place, hourOf(from), nextHour(hourOf(to - 1))));
  let read = 0;
  const counted = async function* (entries: AsyncIterable<Entry>) {
    for await (const entry of entries) {
      checkEntries(++read);
      yield entry;
    }
  };
  const work = async () => {
    for (let hour = hours.shift(); hour !== undefined; hour = hours.shift()) {
      const start = Math.max(from, hourStart(hour));
      const entries = ledger.eachEntry(place.organization, start, Math.min(to, hourStart(nextHour(hour))));
      for await (const event of countedEvents(counted(entries), place.project)) {
        tally.add(sourceOf(event, hour), sumsOf(event));
        checkGroups(tally);
      }
    }
  };
  await Promise.all(Array.from({ length: limits.reportHoursAtOnce }, work));
  return tally;
}

function checkEntries(count: number): void {
  if (count <= limits.reportEntriesMax) return;
  const most = `${limits.reportEntriesMax} calls, which is the most that can be added up by user`;
  throw tooMuch(`The range has more than ${most}.`);
}

function checkGroups({ size }: Tally): void {
  if (size > limits.reportGroupsMax)
    throw tooMuch(`The report has more than ${limits.reportGroupsMax} groups.`);
}

function tooMuch(what: string): GatewayError {
  const message = `${what} Ask for a shorter range, or for one project.`;
  const fields = [{ location: "query.group_by", message }];
  return new GatewayError("invalid_request", { message, param: "group_by", fields });
}
