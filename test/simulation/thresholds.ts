/**
 * What the log must say of thresholds: each that was reached once, and none that was not. Only organizations with budgets of
 * several levels are looked at, so that the looks change nothing of other seeds. Points are 10⁻¹⁸.
 */
import { limits } from "#shared/base/limits.ts";
import type { KeyRecord, LevelBudget, Organization } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { accountCounter, budgetEnd } from "#shared/books/meters/budget.ts";
import { limitedName } from "#shared/books/meters/hold.ts";
import { accountOf, type LevelName } from "#shared/books/meters/levels.ts";
import { budgetUses, type Meter } from "#shared/books/meters/meter.ts";
import { readText } from "#shared/edges/store/dynamodb/attributes.ts";
import { readHash } from "#shared/edges/store/dynamodb/item-hash.ts";
import { readRecord } from "#shared/edges/store/dynamodb/item-keys.ts";
import { readMeterItem } from "#shared/edges/store/meters/meter-item.ts";
import type { AuditEntry } from "#shared/people/identity/audit.ts";
import type { Mutation } from "./mutation.ts";
import type { Key, World } from "./world.ts";

const percents = [50, 80, 100];

/** The mutation, in a world whose sweeps look at no threshold. */
export function withoutLooks(mutation: Mutation = {}): Mutation {
  const of = () => Promise.reject(new Error("nobody looks at thresholds here"));
  return {
    ...mutation,
    ports: (inner, role) => ({
      ...mutation.ports?.(inner, role),
      thresholds: { ...inner.thresholds, of },
    }),
  };
}

/** A budget as it is at the end, of an account on a meter. */
interface LastBudget {
  account: string;
  subject: string;
  points: string;
  period: LevelBudget["period"];
}

export class ThresholdBooks {
  readonly #world: World;
  readonly #organization: Organization;
  readonly #mode: "payg" | "subscription";
  readonly #meter: string;
  /** The most that was ever spent, by the counter. */
  readonly #most = new Map<string, bigint>();
  #writes = 0;

  /** `key` is one of the organization's, all of whose keys have one mode. */
  constructor(world: World, { record, organization }: Key) {
    this.#world = world;
    this.#organization = organization;
    this.#mode = record.mode;
    const { wallet, subscription } = organization;
    this.#meter = (record.mode === "payg" ? wallet : subscription)?.meter ?? "";
  }

  /** Notes what is spent, between two steps. */
  look(): void {
    const { books } = this.#world;
    if (this.#writes === books.writes) return;
    this.#writes = books.writes;
    for (const [counter, { spent }] of budgetUses(this.#items()))
      if (spent > (this.#most.get(counter) ?? 0n)) this.#most.set(counter, spent);
  }

  /** Lets a last pass read every meter, and checks the log when everything is at rest. */
  async close(look: () => void): Promise<void> {
    const { scheduler, books } = this.#world;
    for (let passes = 0; passes < 2; passes++) {
      scheduler.now += limits.everyMeterSeconds * 1000;
      this.#world.sweep(0);
      await scheduler.proceed(Infinity, look);
    }
    const lines = this.#lines();
    books.violation(...this.#wrongLines(lines), ...(await this.#missingLines(lines)));
  }

  #items(): Meter[] {
    const items = [...this.#world.cloud.db.items("counters")].filter(({ kind }) => kind);
    return items.map(readMeterItem).filter(({ meter }) => meter === this.#meter);
  }

  #lines(): AuditEntry[] {
    const own = `G#${this.#organization.id}`;
    const items = [...this.#world.cloud.db.items("accounts")].filter(({ pk }) => readText(pk) === own);
    const lines = items.map((item) => readRecord<AuditEntry>(readHash(item).item));
    return lines.filter(({ kind }) => kind === "budget_reached");
  }

  /** Lines that are there twice, or that say what was not so. A budget that was another sum meanwhile counts anew. */
  #wrongLines(lines: readonly AuditEntry[]): string[] {
    const told = new Map<string, { sum: unknown; percents: Set<unknown> }>();
    const sorted = lines.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    return sorted.flatMap(({ subject, at, after }) => {
      const { spent_points, ...same } = after ?? {};
      const what = `the budget of ${subject} ${JSON.stringify(same)}`;
      const { percent, budget_points: sum, ...period } = same;
      const name = JSON.stringify([subject, period]);
      const last = told.get(name);
      const percents = last && last.sum === sum ? last.percents : new Set();
      const gaps = percents.has(percent) ? [`${what} is told twice`] : [];
      told.set(name, { sum, percents: percents.add(percent) });
      const [spent, points] = [parsePoints(String(spent_points)), parsePoints(String(same.budget_points))];
      if (spent * 100n < points * BigInt(Number(same.percent))) gaps.push(`${what} is not reached`);
      const ends = same.resets_at === null ? at : Date.parse(String(same.resets_at)) - 1;
      const account = accountNamed(same.level as LevelName, subject);
      const counter = accountCounter(account, same.budget_period as LevelBudget["period"], ends);
      if (spent > (this.#most.get(counter) ?? 0n)) gaps.push(`${what}: ${spent} was never spent`);
      return gaps;
    });
  }

  /** Thresholds of the running period that are reached and not told. */
  async #missingLines(lines: readonly AuditEntry[]): Promise<string[]> {
    const { now } = this.#world.scheduler;
    const uses = budgetUses(this.#items());
    const budgets = await this.#budgets();
    return budgets.flatMap(({ account, subject, points, period }) => {
      const { spent } = uses.get(accountCounter(account, period, now)) ?? { spent: 0n };
      const end = budgetEnd(period, now);
      const resets = end === null ? null : new Date(end).toISOString();
      const reached = percents.filter(
        (percent) => spent > 0n && spent * 100n >= parsePoints(points) * BigInt(percent),
      );
      const isTold = (percent: number) =>
        lines.some(
          ({ subject: of, after }) =>
            of === subject &&
            after?.percent === percent &&
            after.resets_at === resets &&
            parsePoints(String(after.budget_points)) === parsePoints(points),
        );
      return reached
        .filter((percent) => !isTold(percent))
        .map((percent) => `${percent} % of the budget of ${subject} are never told`);
    });
  }

  async #budgets(): Promise<LastBudget[]> {
    const { id } = this.#organization;
    const { accounts } = this.#world.quietly;
    const { budgets = [] } = (await accounts.organization(id)) ?? {};
    const levels = budgets
      .filter(({ level }) => level !== "customer")
      .map(({ level, id: of, ...budget }) => ({
        ...budget,
        account: accountOf(level, of),
        subject: of || id,
      }));
    const { keys } = await accounts.keys(id, { limit: 100 });
    return [...levels, ...keys.flatMap((key) => this.#ofKey(key))];
  }

  /** Nobody is told of a key that was revoked. */
  #ofKey({ id, mode, status, limits: own }: KeyRecord): LastBudget[] {
    if (mode !== this.#mode || status === "revoked" || !own?.budget_points || !own.budget_period) return [];
    return [{ account: limitedName(id), subject: id, points: own.budget_points, period: own.budget_period }];
  }
}

function accountNamed(level: LevelName, subject: string): string {
  if (level === "key") return limitedName(subject);
  return accountOf(level, subject);
}
