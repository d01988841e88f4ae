/** Adds up a usage report: rollups and at most two partial hours of entries, or by user and by tag entries alone. */

import { GatewayError } from "../../base/errors.ts";
import { limits } from "../../base/limits.ts";
import { hourMs, hourOf, hourStart, nextHour } from "../billing/period.ts";
import type { CallLedger, RollupOwner, Seal, SummedEntry } from "../ledger/ledger.ts";
import { nameableRange, planRange, type RangePlan } from "./range-plan.ts";
import { countedEvents, negateSums, sumsOf } from "./report.ts";
import { isOfEntries, type ReportDimension, sourceOf, Tally, type UsageSource } from "./report-groups.ts";

type Dimensions = readonly ReportDimension[];

/** What a report asks of its sums, beside its range and its dimensions. */
interface SumTerms {
  /** Whose amounts count. By default all of them. */
  isWanted?: (source: UsageSource) => boolean;
  /** The most groups that there may be, and the most entries that may be read where rollups do not do. */
  groupsMax: number;
  entriesMax: number;
  /** The query parameter that a range with too much in it is refused for. */
  parameter: string;
}

/** The seal, the rollups and the entries that sums are read from. */
export type SummedLedger = Pick<CallLedger, "seal" | "eachRollup" | "usesOf" | "hoursWithEntries">;

const reportTerms = (): SumTerms => ({
  groupsMax: limits.reportGroupsMax,
  entriesMax: limits.reportEntriesMax,
  parameter: "group_by",
});

/** Sums of a range (Unix ms) by model and dimensions. Throws `invalid_request` for too many groups or entries. */
export async function sumRange(
  ledger: SummedLedger,
  place: RollupOwner,
  from: number,
  to: number,
  dimensions: Dimensions = [],
  terms: SumTerms = reportTerms(),
): Promise<Tally> {
  if (dimensions.some(isOfEntries)) return await sumEntries(ledger, place, [from, to], dimensions, terms);
  const seal = await ledger.seal(place.organization, place.project);
  const parts = planRange(from, to, coarsest(seal, dimensions));
  const tally = await sumParts(ledger, place, parts, dimensions, terms);
  if (parts.spans.every(({ sign }) => sign > 0)) return tally;
  // An entry posted late, between two reads, may be in an hour that was taken away and not yet in its day.
  const { late } = await ledger.seal(place.organization, place.project);
  if (late === seal.late) return tally;
  const added = planRange(from, to, coarsest(seal, dimensions), { subtract: false });
  return await sumParts(ledger, place, added, dimensions, terms);
}

/** The seals to read by: none of spans that are longer than the report's own. */
function coarsest({ day, month }: Seal, dimensions: Dimensions): Pick<Seal, "day" | "month"> {
  if (dimensions.includes("hour")) return { day: "", month: "" };
  return dimensions.includes("day") ? { day, month: "" } : { day, month };
}

async function sumParts(
  ledger: SummedLedger,
  { organization, project }: RollupOwner,
  { edges, spans }: RangePlan,
  dimensions: Dimensions,
  terms: SumTerms,
): Promise<Tally> {
  const tally = new Tally(dimensions, terms.isWanted);
  await Promise.all([
    ...spans.map(async ({ from, to, sign }) => {
      for await (const { sums, ...share } of ledger.eachRollup(organization, project, from, to)) {
        tally.add({ ...share, user: null }, sign > 0 ? sums : negateSums(sums));
        checkGroups(tally, terms);
      }
    }),
    ...edges.map(async ({ from, to }) => {
      const span = hourOf(from);
      const eachUse = await ledger.usesOf(organization);
      for await (const event of countedEvents(eachUse(from, to), project)) {
        tally.add(sourceOf(event, span), sumsOf(event));
        checkGroups(tally, terms);
      }
    }),
  ]);
  return tally;
}

/** Sums of entries alone. Several hours are read at a time. */
async function sumEntries(
  ledger: SummedLedger,
  place: RollupOwner,
  range: [first: number, end: number],
  dimensions: Dimensions,
  terms: SumTerms,
): Promise<Tally> {
  const [from, to] = nameableRange(...range);
  const tally = new Tally(dimensions, terms.isWanted);
  if (from >= to) return tally;
  // The rollups say early whether the range has too many calls. They leave out calls that were given back.
  const known = await sumRange(ledger, place, from, to);
  const calls = [...known.byModel().values()].reduce((sum, each) => sum + each.calls, 0);
  checkEntries(calls, terms);

  const hours = await hoursToRead(ledger, place, [from, to], calls);
  const eachUse = await ledger.usesOf(place.organization);
  let read = 0;
  const counted = async function* (entries: AsyncIterable<SummedEntry>) {
    for await (const entry of entries) {
      checkEntries(++read, terms);
      yield entry;
    }
  };
  const work = async () => {
    for (let hour = hours.shift(); hour !== undefined; hour = hours.shift()) {
      const start = Math.max(from, hourStart(hour));
      const entries = eachUse(start, Math.min(to, hourStart(nextHour(hour))));
      for await (const event of countedEvents(counted(entries), place.project)) {
        tally.add(sourceOf(event, hour), sumsOf(event));
        checkGroups(tally, terms);
      }
    }
  };
  await Promise.all(Array.from({ length: limits.reportHoursAtOnce }, work));
  return tally;
}

/** The hours whose entries are read. Where most have calls all are tried: asking costs a rollup of each key and hour. */
async function hoursToRead(
  ledger: SummedLedger,
  place: RollupOwner,
  [from, to]: [from: number, to: number],
  calls: number,
): Promise<string[]> {
  const [first, end] = [hourOf(from), nextHour(hourOf(to - 1))];
  const count = (hourStart(end) - hourStart(first)) / hourMs;
  if (calls < count) return await Array.fromAsync(ledger.hoursWithEntries(place, first, end));
  return Array.from({ length: count }, (_, at) => hourOf(hourStart(first) + at * hourMs));
}

function checkEntries(count: number, terms: SumTerms): void {
  if (count <= terms.entriesMax) return;
  const most = `${terms.entriesMax} calls, which is the most that can be added up by user or tag`;
  throw tooMuch(`The range has more than ${most}.`, terms);
}

function checkGroups({ size }: Tally, terms: SumTerms): void {
  if (size > terms.groupsMax) throw tooMuch(`The report has more than ${terms.groupsMax} groups.`, terms);
}

function tooMuch(what: string, { parameter }: SumTerms): GatewayError {
  const message = `${what} Ask for a shorter range, or for one project.`;
  const fields = [{ location: `query.${parameter}`, message }];
  return new GatewayError("invalid_request", { message, param: parameter, fields });
}
