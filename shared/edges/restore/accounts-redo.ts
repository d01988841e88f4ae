/** Does again, on a restored table `accounts`, what happened after the instant (infra/operator/restore.md). */
import type { Membership } from "../../people/identity/user.ts";
import type { Order, OrderState, Refund } from "../../people/payments/order.ts";
import { nextTry } from "../../people/payments/schedule.ts";
import { type AccountsLosses, type AccountsState, orderAgain } from "./accounts-losses.ts";
import type { Redo } from "./redo.ts";

/** Where an order is put, and when it is looked at. */
export interface OrderPlace {
  before: OrderState | undefined;
  due_at: number | null;
}

/** The restored table. */
export interface RestoringAccounts {
  /** Ends every session that is open, at an instant (Unix ms). Gives how many those were. */
  endSessions(at: number): Promise<number>;
  /** Lets a series of invoices go on behind this number, and notes which numbers it skips. A higher one stays. */
  raiseSeries(series: string, last: number): Promise<void>;
  freeze(user: string): Promise<void>;
  /** Gives a member a role, or ends the membership at `at` (Unix ms). False where it is not as given any more. */
  setRole(member: Membership, role: Membership["role"] | undefined, at: number): Promise<boolean>;
  /** Puts an order in the place of one in `before`, due at `due_at` (Unix ms) or never. False: another is there. */
  putOrder(order: Order, refunds: Refund[], on: OrderPlace): Promise<boolean>;
}

/** How many were done again, and what failed. */
export interface AccountsRedone {
  frozen_users: number;
  members: number;
  orders: number;
  failed: { what: string; error: string }[];
}

interface AccountsRedoRequest {
  wanted: ReadonlySet<Redo>;
  restored: AccountsState;
  /** The organizations that there are. */
  organizations: ReadonlySet<string>;
}

/** Does what is wanted. What fails is told, and the rest is done. To do all of it again changes nothing. */
export async function redoAccounts(
  losses: AccountsLosses,
  { wanted, restored, organizations }: AccountsRedoRequest,
  { accounts, now }: { accounts: RestoringAccounts; now: () => number },
): Promise<AccountsRedone> {
  const redone: AccountsRedone = { frozen_users: 0, members: 0, orders: 0, failed: [] };
  const attempt = async (
    what: string,
    count: "frozen_users" | "members" | "orders",
    act: () => Promise<unknown>,
  ) => {
    try {
      if ((await act()) === false)
        throw new Error("it is not as it was read any more; run the command again");
      redone[count] += 1;
    } catch (error) {
      redone.failed.push({ what, error: error instanceof Error ? error.message : String(error) });
    }
  };
  if (wanted.has("revocations")) {
    for (const { id } of losses.thawed)
      await attempt(`freeze of ${id}`, "frozen_users", () => accounts.freeze(id));
    for (const { member, role } of losses.regained) {
      if (isLastOwner(member, losses, restored)) continue;
      const what = `role of ${member.user} in ${member.organization}`;
      await attempt(what, "members", () => accounts.setRole(member, role, now()));
    }
  }
  if (wanted.has("orders"))
    for (const { order, refunds, restored: before, way } of losses.orders) {
      if (way === "asked" || !organizations.has(order.organization)) continue;
      const again = orderAgain(order);
      // What is never looked at again must not stay due.
      const due_at = nextTry(again, now()) === null ? null : now();
      await attempt(`order ${order.id}`, "orders", () =>
        accounts.putOrder(again, refunds, { before, due_at }),
      );
    }
  return redone;
}

/** Whether nobody else would be an owner: whoever took over is not there yet. */
function isLastOwner(member: Membership, { regained }: AccountsLosses, { members }: AccountsState): boolean {
  if (member.role !== "owner") return false;
  const taken = new Set(regained.map((each) => `${each.member.organization} ${each.member.user}`));
  return ![...members].some(
    ([key, { organization, role }]) =>
      organization === member.organization && role === "owner" && !taken.has(key),
  );
}
