/** Tells of thresholds that meters have reached: a line of the audit log for each, once (people/thresholds/README.md). */
import { describeError, type Log } from "../../base/platform/log.ts";
import type { Accounts, Organization } from "../../books/accounts/account.ts";
import { keysOf } from "../../books/accounts/organization-keys.ts";
import type { Plan } from "../../books/catalog/catalog.ts";
import { useOfItem } from "../../books/meters/certain.ts";
import type { CertainUse, Meter, Meters } from "../../books/meters/meter.ts";
import { type AuditEntry, auditEntry } from "../../people/identity/audit.ts";
import { byPlatform } from "../../people/orders/deps.ts";
import { marksAfter, type ReachedThreshold, untold } from "../../people/thresholds/measure.ts";
import { measuresOf } from "../../people/thresholds/measures.ts";
import { sampled } from "../../people/thresholds/pace.ts";
import {
  newThresholdState,
  type ThresholdState,
  type ThresholdStore,
  type UnreadableState,
} from "../../people/thresholds/state.ts";
import { ownerOf } from "./sweep.ts";

export interface ThresholdDeps {
  accounts: Pick<Accounts, "organization" | "organizations" | "keys">;
  meters: Pick<Meters, "intent" | "certainUseOf">;
  thresholds: ThresholdStore;
  plan: (name: string) => Plan | undefined;
  /** Orders where the organization of a wallet wants that of a low one (people/payments/auto-top-up.md). */
  topUp: (organization: Organization, left: bigint) => Promise<unknown>;
  log: Log;
  /** Unix milliseconds. */
  now: () => number;
}

/** The looks of one pass over the meters. It reads every organization at most once, and only if it needs to. */
export class ThresholdLooks {
  readonly #deps: ThresholdDeps;
  #owners: Promise<Map<string, string>> | undefined;

  constructor(deps: ThresholdDeps) {
    this.#deps = deps;
  }

  /**
   * Looks at a page of meters as they were read. `isWhole`: also at what no call moves, and at meters that nobody knows.
   * Never rejects: what fails for one meter is logged, and the next pass looks again.
   */
  async lookAt(page: readonly Meter[], isWhole: boolean): Promise<void> {
    const firsts = page.filter(({ shard }) => shard === 0);
    if (firsts.length === 0) return;
    try {
      const states = await this.#deps.thresholds.of(firsts.map(({ meter }) => meter));
      await Promise.all(firsts.map((first) => this.#look(first, states.get(first.meter), isWhole)));
    } catch (error) {
      this.#logFailed(error);
    }
  }

  async #look(
    first: Meter,
    known: ThresholdState | UnreadableState | undefined,
    isWhole: boolean,
  ): Promise<void> {
    const organization = known && "organization" in known ? known.organization : undefined;
    try {
      if (!isWhole && isBlank(first)) return;
      if (known && "unreadable" in known) throw new Error(known.unreadable);
      const state = known ?? (await this.#newState(first, isWhole));
      if (state) await lookAtMeter(first, state, isWhole, this.#deps);
    } catch (error) {
      this.#logFailed(error, organization);
    }
  }

  /** The state of a meter that nobody has looked at. Undefined where nobody knows yet whose it is. */
  async #newState(first: Meter, isWhole: boolean): Promise<ThresholdState | undefined> {
    let owner: string | undefined = await ownerOf(first, this.#deps);
    if (owner === "" && isWhole) {
      this.#owners ??= ownersOf(this.#deps.accounts.organizations());
      owner = (await this.#owners).get(first.meter);
    }
    return owner ? newThresholdState(first.meter, owner) : undefined;
  }

  #logFailed(error: unknown, organization?: string): void {
    const of = organization === undefined ? {} : { organization };
    this.#deps.log("error", "thresholds_failed", { ...of, error: describeError(error) });
  }
}

/** Whether nothing on a meter can have a threshold yet: no point was credited, and no call was counted. */
function isBlank({ granted, budgets, periods, opened }: Meter): boolean {
  return opened === 1 && granted <= 0n && budgets.size === 0 && periods.size === 0;
}

/** The organizations of all meters. */
async function ownersOf(organizations: AsyncIterable<Organization>): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  for await (const { id, wallet, subscription } of organizations)
    for (const own of [wallet, subscription]) if (own) owners.set(own.meter, id);
  return owners;
}

/** Tells what the meter of a state has reached, if nobody else has told something of it since. */
async function lookAtMeter(
  first: Meter,
  state: ThresholdState,
  isWhole: boolean,
  deps: ThresholdDeps,
): Promise<void> {
  const isSharded = first.opened > 1;
  const use = isSharded ? await deps.meters.certainUseOf(first.meter) : useOfItem(first);
  const organization = await deps.accounts.organization(state.organization);
  if (!organization) return;
  const { mode, periods } = first;
  const { spent } = use;
  const hasKeys = isWhole || [...(spent?.keys() ?? [])].some((name) => name.startsWith("k"));
  const keys = hasKeys ? [...(await keysOf(deps.accounts, organization.id)).values()] : undefined;
  const now = deps.now();
  const granted = isSharded ? grantedOf(use, state) : null;
  const points = use.granted ?? (granted?.credits === use.credits ? granted.points : undefined);
  const wallet = points === undefined ? undefined : { granted: points, used: use.used };
  if (mode === "payg" && wallet) await topUpLow(organization, wallet, deps);
  const samples = mode === "payg" && wallet ? sampled(state.samples, use.used, now) : undefined;
  const known = { mode, periods, wallet, spent, organization, keys, samples: state.samples };
  const measures = measuresOf({ ...known, plan: deps.plan, now });
  const reached = untold(measures, state.marks);
  // A meter that is met for the first time is noted, so that it is known to the next pass.
  if (reached.length === 0 && !samples && granted === state.granted && state.revision > 0) return;
  const isAll = isWhole && wallet !== undefined && spent !== undefined;
  const marks = marksAfter(state.marks, reached, { measures, isWhole: isAll });
  const lines = linesOf(reached, organization, now);
  const after = { marks, samples: samples ?? state.samples, granted };
  const isDone = await deps.thresholds.change(state, after, lines);
  if (isDone && lines.length > 0)
    deps.log("info", "thresholds_told", { organization: organization.id, count: lines.length });
}

/** What is known of a wallet's credits after a look: the same object where it is what the state has. */
function grantedOf({ granted: points, credits }: CertainUse, { granted }: ThresholdState) {
  return points === undefined || granted?.credits === credits ? granted : { points, credits };
}

/** What fails here keeps nobody from being told of the same wallet. The next pass looks again. */
async function topUpLow(
  organization: Organization,
  { granted, used }: { granted: bigint; used: bigint },
  { topUp, log }: ThresholdDeps,
): Promise<void> {
  try {
    await topUp(organization, granted - used);
  } catch (error) {
    log("error", "top_up_failed", { organization: organization.id, error: describeError(error) });
  }
}

/** The lines of thresholds that are reached. All are of one instant, and their ids are in the order of the thresholds. */
function linesOf(
  reached: readonly ReachedThreshold[],
  organization: Organization,
  now: number,
): AuditEntry[] {
  const by = { user: byPlatform, organization };
  const lines = reached.map(({ measure: { kind, subject }, facts }) =>
    auditEntry(by, { kind, subject, after: facts }, byPlatform.ip, now),
  );
  const ids = lines.map(({ id }) => id).sort();
  return lines.map((line, at) => ({ ...line, id: ids[at] ?? line.id }));
}
