/**
 * Tells organizations that models which they call will cost something else: a line of the audit log for each day, once
 * (people/news/README.md "Prices that will change").
 */
import { describeError, type Log } from "../../base/platform/log.ts";
import type { Accounts } from "../../books/accounts/account.ts";
import { dayMs, hourOf, hourStart, spanOf, spanStart } from "../../books/billing/period.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import { offeredPrice } from "../../books/catalog/next-price.ts";
import { priceChanges } from "../../books/prices/offer.ts";
import { type SummedLedger, sumRange } from "../../books/reports/report-sums.ts";
import { type AuditEntry, auditEntry } from "../../people/identity/audit.ts";
import type { ToldPricesStore } from "../../people/news/told-prices.ts";
import { byPlatform } from "../../people/orders/deps.ts";

export interface PriceNewsDeps {
  catalog: Pick<ModelCatalog, "models" | "price">;
  accounts: Pick<Accounts, "organizations">;
  ledger: SummedLedger;
  toldPrices: ToldPricesStore;
  log: Log;
  /** Unix milliseconds. */
  now: () => number;
}

/** A price that will change. */
interface Announced {
  model: string;
  /** Its model and version: an announcement that is changed is another one. */
  id: string;
  /** The day from which on it costs something else, and what changes. */
  from: string;
  changes: string;
}

/** How many organizations are looked at a time. Each mostly waits for the database. */
const organizationsAtOnce = 8;
/** Whoever called a model in so many days is told. */
const calledDays = 31;
/** How many models a line names, and how many characters it has of what changes. */
const modelsNamedMax = 50;
const changesCharsMax = 2_000;

/** How many organizations were told something, and how many looks failed. */
export interface PriceNewsResult {
  told: number;
  failed: number;
}

/**
 * One pass over all organizations, which looks at each once a UTC day, or more often. While no price is to change it reads
 * nothing. What fails for one organization is logged, and the next pass looks again.
 */
export async function tellPrices(deps: PriceNewsDeps): Promise<PriceNewsResult> {
  const now = deps.now();
  const announced = announcedAt(now, deps);
  const result: PriceNewsResult = { told: 0, failed: 0 };
  if (announced.length === 0) return result;
  const organizations = deps.accounts.organizations();
  const work = async () => {
    for await (const { id } of organizations) {
      try {
        if (await tellOne(id, announced, now, deps)) result.told += 1;
      } catch (error) {
        result.failed += 1;
        deps.log("error", "price_news_failed", { organization: id, error: describeError(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: organizationsAtOnce }, work));
  return result;
}

/** The prices that will change after `now`. */
function announcedAt(now: number, { catalog }: Pick<PriceNewsDeps, "catalog">): Announced[] {
  return catalog.models().flatMap((model) => announcedOf(model, now, catalog));
}

function announcedOf(model: Model, now: number, { price }: Pick<ModelCatalog, "price">): Announced[] {
  const { next_price: next, ...before } = offeredPrice(model, now);
  if (!next) return [];
  const { from, ...after } = next;
  const { version } = price(model, Number.POSITIVE_INFINITY);
  const changes = priceChanges(
    { ...before.price, discount_rate: before.discount_rate },
    { ...after.price, discount_rate: after.discount_rate },
  );
  return [{ model: model.id, id: `${model.id} ${version} ${from}`, from, changes }];
}

/** Whether an organization was told something. */
async function tellOne(
  organization: string,
  announced: readonly Announced[],
  now: number,
  { ledger, toldPrices, log }: PriceNewsDeps,
): Promise<boolean> {
  const before = await toldPrices.of(organization);
  const ids = announced.map(({ id }) => id);
  const look = [spanOf(now, lookUnit(announced, now)), ...ids].join(" ");
  if (before.look === look) return false;
  // Whole hours: they are sums, of which the sweep may read more than of calls.
  const to = hourStart(hourOf(now));
  const sums = await sumRange(ledger, { organization, project: "" }, to - calledDays * dayMs, to);
  const called = sums.byModel();
  const due = announced.filter(({ model, id }) => called.has(model) && !before.told.includes(id));
  const byDay = [...Map.groupBy(due, ({ from }) => from)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const lines = byDay.map(([from, prices]) => lineOf(from, prices, organization, now));
  const told = [...before.told, ...due.map(({ id }) => id)].filter((id) => ids.includes(id));
  const isDone = await toldPrices.change(before, { look, told }, lines);
  if (!isDone || lines.length === 0) return false;
  log("info", "price_news_told", { organization, count: due.length });
  return true;
}

/** An organization is looked at once a day, and in the last day before a change every hour. */
function lookUnit(announced: readonly Announced[], now: number): "day" | "hour" {
  return announced.some(({ from }) => spanStart(from) - now <= dayMs) ? "hour" : "day";
}

/** One line for all prices that change on a day: each line is a mail for many people. */
function lineOf(from: string, prices: readonly Announced[], organization: string, now: number): AuditEntry {
  const named = prices.slice(0, modelsNamedMax).map(({ model }) => model);
  const more = prices.length - named.length;
  const all =
    prices.length === 1
      ? (prices[0]?.changes ?? "")
      : prices.map(({ model, changes }) => `${model}: ${changes}`).join(". ");
  const after = {
    model: named.join(", ") + (more > 0 ? ` and ${more} more` : ""),
    from,
    changes: all.length > changesCharsMax ? `${all.slice(0, changesCharsMax)}…` : all,
  };
  const by = { user: byPlatform, organization: { id: organization } };
  const change = { kind: "price_announced", subject: organization, after } as const;
  return auditEntry(by, change, byPlatform.ip, now);
}
