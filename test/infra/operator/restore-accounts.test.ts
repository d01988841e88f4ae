/** A restore of the table `accounts`: rights stay taken, what was paid is booked once, and no invoice's number comes twice. */
import { describe, expect, it } from "vitest";
import { reportOf } from "#infra/operator/restore-report.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import { refundOrder } from "#shared/edges/operator/orders.ts";
import type { Redo } from "#shared/edges/restore/redo.ts";
import { seriesKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { transact } from "#shared/edges/store/dynamodb/transaction.ts";
import { endWrites, roleWrites } from "#shared/edges/store/identity/membership.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import { readAccountsState } from "#shared/edges/store/restoring-accounts.ts";
import type { Membership } from "#shared/people/identity/user.ts";
import type { Order } from "#shared/people/payments/order.ts";
import { newOrder, pendingOrder, signedUp } from "#test/support/orders.ts";
import { sources } from "#test/support/restorable.ts";
import { booksOf, minute, openPeople } from "#test/support/restored-people.ts";
import { restoredTables } from "#test/support/restored-story.ts";

const all: Redo[] = ["revocations", "credits", "orders"];

const plan: Partial<Order> = {
  kind: "plan",
  plan: { action: "buy", plan: "pro", period: "monthly", from: { plan: "free", period: "monthly" } },
};

describe("orders after the instant", () => {
  async function paid() {
    const stage = await openPeople();
    const before = await stage.order();
    const waiting = await stage.order({ pays: false });
    const left = await stage.order({ pays: false });
    stage.story.step(20 * minute);
    await reconcile(stage.deps);
    const open = await pendingOrder(stage.organization.id, stage.deps);
    stage.story.step(minute);
    stage.story.stage.mark();
    const instant = stage.story.now();
    stage.story.step(minute);
    // One that was closed is paid late, one that waited is paid, one is paid back, and others are made.
    stage.trades.settle(waiting.id);
    stage.trades.settle(open.id);
    for (let hours = 0; hours < 3; hours++) {
      stage.story.step(60 * minute);
      await reconcile(stage.deps);
    }
    await refundOrder(before.id, { amount: "40.00", reason: "mistake" }, stage.deps as never);
    await reconcile(stage.deps);
    const bought = await stage.order();
    const subscribed = await stage.order(plan);
    const idle = await pendingOrder(stage.organization.id, stage.deps);
    return { stage, instant, before, waiting, left, open, bought, subscribed, idle };
  }

  it("are told, each with its payment and with what becomes of it", async () => {
    const { stage, instant, before, waiting, open, bought, subscribed, idle } = await paid();
    const report = reportOf(await stage.story.restore(instant), undefined);
    const told = report.orders.map(({ order, state, restored, way }) => [order, state, restored, way]);
    expect(told).toEqual(
      [
        [before.id, "partly_refunded", "credited", "put"],
        [waiting.id, "credited", "closed", "put"],
        [open.id, "credited", "pending", "asked"],
        [bought.id, "credited", "gone", "put"],
        [subscribed.id, "credited", "gone", "put"],
        [idle.id, "pending", "gone", "put"],
      ].sort(),
    );
    expect(report.orders[0]).toMatchObject({ amount: "100.00 CNY", channel: "alipay" });
    const next = report.next.join("\n");
    expect(next).toContain("orders that no answer of a platform would set right: 5, 4 of them paid");
    expect(next).toContain("--redo credits,orders");
    expect(next).toContain("orders that their platforms are asked about after the change-over: 1");
  });

  it("are booked again once, and then the books are those of before", async () => {
    const { stage, instant, idle } = await paid();
    const wanted = await booksOf(stage.deps, stage, stage.story.stores.meters);
    expect(wanted.plan).toBe("pro");
    const first = await stage.story.restore(instant, all);
    expect(first.redone).toMatchObject({ orders: 5, failed: [] });
    // To run it again changes nothing.
    const second = await stage.story.restore(instant, all);
    expect(second.redone?.failed).toEqual([]);
    await reconcile(stage.restored);
    stage.story.step(minute);
    await reconcile(stage.restored);
    const books = await booksOf(stage.restored, stage, stage.story.restored.meters);
    const withoutFee = (entries: string[]) => entries.filter((entry) => !entry.startsWith("plan_fee"));
    expect(books.orders).toEqual(wanted.orders);
    expect(withoutFee(books.entries)).toEqual(withoutFee(wanted.entries));
    expect([books.plan, books.balance]).toEqual([wanted.plan, wanted.balance]);
    // An order that waits still can be paid.
    stage.trades.settle(idle.id);
    stage.story.step(10 * minute);
    await reconcile(stage.restored);
    expect(await stage.stateOf(idle.id, stage.restored)).toBe("credited");
    expect(await stage.openOrders()).toBe(0);
  });

  it("of an organization that is gone are left to the operator", async () => {
    const stage = await openPeople();
    stage.story.stage.mark();
    const instant = stage.story.now();
    const late = await signedUp({ aws: stage.aws, tables: sources } as never, stage.story.step());
    const order = newOrder(late.id, stage.story.now());
    await stage.deps.orders.create(order, stage.story.now());
    const report = reportOf(await stage.story.restore(instant, all), undefined);
    expect(report.orders).toMatchObject([{ order: order.id, restored: "gone" }]);
    expect(await stage.stateOf(order.id, stage.restored)).toBeUndefined();
  });
});

describe("people after the instant", () => {
  async function changed() {
    const stage = await openPeople();
    const { story, aws } = stage;
    const owner = await stage.join("owner");
    const admin = await stage.join("admin");
    const finance = await stage.join("finance");
    const frozen = await stage.join("member");
    const session = await stage.signIn(owner);
    story.stage.mark();
    const instant = story.now();
    story.step();
    await createSessions(aws, sources).end(owner.user, session, story.now());
    await transact(aws, endWrites(sources, admin, story.now()));
    await transact(aws, roleWrites(sources, finance, "member"));
    await createUserStatuses(aws, sources).set(frozen.user, "frozen");
    await stage.put({ ...seriesKey("INV-2026"), ...toItem({ last: 5 }) });
    const joined = await stage.join("member");
    return { stage, instant, owner, admin, finance, frozen, session, joined };
  }

  it("have their rights again, which fails the command; who came is gone, and everybody is signed out", async () => {
    const { stage, instant, owner, admin, finance, frozen, session, joined } = await changed();
    const restored = await stage.story.restore(instant);
    const report = reportOf(restored, undefined);
    expect(report).toMatchObject({
      ...{ ok: false, sessions_ended: 1, users_active_again: [frozen.user] },
      lost_users: [{ user: joined.user }],
      invoice_numbers_go_on_behind: { "INV-2026": 5 },
    });
    // Ids of one millisecond come in any order.
    expect(report.roles_again.toSorted((a, b) => (a.role < b.role ? -1 : 1))).toEqual([
      { user: admin.user, organization: admin.organization, role: "admin", last_role: "none" },
      { user: finance.user, organization: finance.organization, role: "finance", last_role: "member" },
    ]);
    expect(report.next.join("\n")).toContain(
      "DANGER: people who were frozen are active again (1), or have roles again that they had lost (2)",
    );
    const sessions = createSessions(stage.aws, restoredTables);
    expect((await sessions.read(owner.user, session))?.ended_at).toBeGreaterThan(instant);
    expect((await readAccountsState(stage.aws, restoredTables)).series.get("INV-2026")).toBe(5);
    // The numbers that it skips have no invoices any more, and the audit misses none.
    const ofInvoices = restored.audit.invariants.find(({ name }) => name === "invoices_match_orders");
    expect(ofInvoices).toMatchObject({ holds: true });
  });

  it("lose them again where that is asked for", async () => {
    const { stage, instant, owner, admin, finance, frozen } = await changed();
    const restored = await stage.story.restore(instant, ["revocations"]);
    expect(restored.redone).toMatchObject({ frozen_users: 1, members: 2, failed: [] });
    const report = reportOf(restored, undefined);
    expect([report.ok, report.users_active_again, report.roles_again]).toEqual([true, [], []]);
    const { users, members } = await readAccountsState(stage.aws, restoredTables);
    expect(users.get(frozen.user)?.status).toBe("frozen");
    const roleOf = (member: Membership) => members.get(`${member.organization} ${member.user}`)?.role;
    expect([owner, admin, finance].map(roleOf)).toEqual(["owner", undefined, "member"]);
  });

  it("keep an owner, where the one who took over is not there yet", async () => {
    const stage = await openPeople();
    const owner = await stage.join("owner");
    stage.story.stage.mark();
    const instant = stage.story.now();
    stage.story.step();
    await stage.join("owner");
    await transact(stage.aws, endWrites(sources, owner, stage.story.now()));
    const restored = await stage.story.restore(instant, ["revocations"]);
    expect(restored.redone).toMatchObject({ members: 0, failed: [] });
    expect(reportOf(restored, undefined).ok).toBe(false);
  });
});
