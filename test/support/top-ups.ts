/** Organizations that top up by themselves, with a card at a platform in memory, for tests. */
import type { Organization } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { topUpIfLow } from "#shared/people/orders/top-up.ts";
import { findCard, openCardPage } from "#shared/people/orders/top-up-card.ts";
import { type TopUpActor, turnOn } from "#shared/people/orders/top-up-terms.ts";
import type { TopUpTerms } from "#shared/people/payments/auto-top-up.ts";
import type { Order } from "#shared/people/payments/order.ts";
import type { Database } from "./dynamodb.ts";
import { catalog, leftIn, morning, orderDeps, signedUp } from "./orders.ts";
import { Trades } from "./trades.ts";

/** 10 dollars, which are 70 points, below 50 points; at most 25 dollars a month. */
export const topUpTerms: TopUpTerms = {
  ...{ below: "50", currency: "USD", amount: 1_000, month_max: 2_500, set_by: "usr_1" },
};

/** Who changes the settings of an organization. */
function actorIn({ id }: Pick<Organization, "id">): TopUpActor {
  return { organization: id, user: { id: "usr_1", name: "Li" }, ip: "203.0.113.7" };
}

/** An organization with a card, whose wallet is empty, and what a pass and the reconciler do for it. */
export async function openTopUp(database: Database, terms: TopUpTerms = topUpTerms) {
  const clock = { now: morning };
  const trades = new Trades(() => clock.now);
  const deps = {
    ...orderDeps(database, { stripe: trades }, clock),
    accounts: createAccounts(database.aws, database.tables),
    recharge: catalog.recharge,
  };
  const organization = await signedUp(database, morning - 60_000);
  const by = actorIn(organization);
  const addCard = async () => {
    await openCardPage(by, "https://console.test/recharge", deps);
    await findCard(organization.id, deps);
  };
  await addCard();
  await turnOn(by, terms, deps);
  const left = () => leftIn(organization.wallet?.meter ?? "", deps);
  return {
    ...{ clock, trades, deps, organization, by, addCard, left },
    settings: () => deps.topUps.of(organization.id),
    used: (month = "2026-11") => deps.topUps.used(organization.id, month, terms.currency),
    /** A pass looks at the wallet. */
    async pass(): Promise<Order | undefined> {
      const known = await deps.accounts.organization(organization.id);
      return known && (await topUpIfLow(known, await left(), deps));
    },
    /** So many minutes later the reconciler runs. */
    async run(minutes = 1): Promise<void> {
      clock.now += minutes * 60_000;
      await reconcile(deps);
    },
    /** Calls use so many points. */
    async use(points: string): Promise<void> {
      const reference = `used-${clock.now}-${points}`;
      const meter = organization.wallet?.meter ?? "";
      const credit = { organization: organization.id, meter, points: -parsePoints(points), reference };
      await deps.ledger.credit({ ...credit, kind: "adjustment", at: clock.now });
    },
    /** The kinds of the log's lines about top-up, the oldest first. */
    async lines() {
      const { entries } = await createAuditLog(database.aws, database.tables).entries(organization.id, {
        limit: 100,
      });
      return entries.toReversed().filter(({ kind }) => kind.startsWith("auto_top_up"));
    },
  };
}
