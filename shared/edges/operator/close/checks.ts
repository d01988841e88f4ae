/** What must hold before a month is closed, each with what to do where it does not (books/close/README.md "Checks"). */

import { limits } from "../../../base/limits.ts";
import { eachOf } from "../../../base/platform/each-of.ts";
import { timeOf } from "../../../base/platform/id.ts";
import type { Organization } from "../../../books/accounts/account.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { spanEnd } from "../../../books/billing/period.ts";
import type { CloseCheck } from "../../../books/close/summary.ts";
import type { Ledger } from "../../../books/ledger/ledger.ts";
import { type BillsReport, isUnexplained } from "../../../books/reports/bills/report.ts";
import { reportBounds } from "../../../books/reports/bounds.ts";
import type { MarginReport } from "../../../books/reports/margin/margin.ts";
import type { InvoiceState } from "../../../people/invoices/invoice.ts";
import type { Order, OrderState } from "../../../people/payments/order.ts";
import type { AuditReport } from "../../audit/audit.ts";
import { firstOf } from "../../audit/dead-letters.ts";

/** What the checks look at. Each part is read when its check is made. */
export interface CheckedMonth {
  month: string;
  /** Unix milliseconds. */
  now: number;
  ledger: Pick<Ledger, "seal">;
  organizations(): AsyncIterable<Pick<Organization, "id" | "created_at">>;
  /** The requests of calls and tasks that hold something. */
  holds(): Promise<readonly { request: string }[]>;
  deadLetters(): Promise<number>;
  audit(): Promise<AuditReport>;
  orders(): AsyncIterable<Pick<Order, "id" | "state" | "created_at">>;
  invoices(): AsyncIterable<{ id: string; state: InvoiceState; created_at: number }>;
  margin(): Promise<MarginReport>;
  bills(): Promise<BillsReport>;
}

/** A check: what it finds is wrong, in texts; none where it holds. */
interface MonthCheck {
  /** What holds, as it is told. */
  means: string;
  /** What to do where it does not. */
  todo: string;
  /** It may be accepted with a reason. */
  mayAccept?: true;
  look(subject: CheckedMonth): Promise<string[]>;
}

/** Orders in these states still move money, or may. */
const openOrders: readonly OrderState[] = ["created", "pending", "closing", "paid", "review", "refunding"];

/** The checks in the order in which they are made. */
const checks = {
  month_is_over: {
    means: "the month ended two hours ago or earlier",
    todo: "wait until then",
    look: async ({ month, now }) => {
      const from = spanEnd(month) + limits.sealGraceSeconds * 1000;
      return now >= from ? [] : [`it can be closed from ${rfc3339(from)} on`];
    },
  },
  days_are_sealed: {
    means: "the sums of the month are sealed for each organization",
    todo: "run: operator seal",
    look: unsealed,
  },
  calls_have_ended: {
    means: "no call and no video of the month holds points",
    todo: "see operator holds, then run: operator sweep",
    look: async ({ month, holds }) =>
      (await holds()).map(({ request }) => request).filter((request) => timeOf(request) < spanEnd(month)),
  },
  events_are_booked: {
    means: "no usage event is a dead letter",
    todo: "see infra/runbooks/DeadLetters.md, then run: operator redrive",
    look: async ({ deadLetters }) => {
      const count = await deadLetters();
      return count === 0 ? [] : [`${count} dead letters`];
    },
  },
  audit_is_clean: {
    means: "each invariant of the books holds, or what is on its way may explain it",
    todo: "run: operator audit",
    look: async ({ audit }) => {
      const { ok, invariants } = await audit();
      return ok ? [] : gapsOf(invariants);
    },
  },
  nothing_is_on_its_way: {
    means: "no invariant waits for events that are not booked yet",
    todo: "wait until the usage queue is empty, and operator audit says that all invariants hold",
    mayAccept: true,
    look: async ({ audit }) => {
      const { ok, invariants } = await audit();
      return ok ? gapsOf(invariants) : [];
    },
  },
  orders_are_settled: {
    means: "no order that was made by the month's end is open, in review, or being paid back",
    todo: "see operator order list, and decide with: operator order review",
    mayAccept: true,
    look: ({ orders, ...subject }) =>
      unfinished(orders(), subject, ({ state }) => openOrders.includes(state)),
  },
  invoices_are_issued: {
    means: "no invoice that was requested by the month's end waits",
    todo: "see operator invoice list, then run: operator invoice issue or reject",
    mayAccept: true,
    look: ({ invoices, ...subject }) => unfinished(invoices(), subject, ({ state }) => state === "requested"),
  },
  bills_are_explained: {
    means: "a bill covers each day on which a provider cost something, and no difference is unexplained",
    todo: "run: operator bills import, then operator bills compare",
    mayAccept: true,
    look: openBills,
  },
} as const satisfies Record<string, MonthCheck>;

export type CloseCheckName = keyof typeof checks;

/** The checks that may be accepted with a reason. */
export const acceptableChecks = (Object.keys(checks) as CloseCheckName[]).filter(
  (name) => "mayAccept" in checks[name],
);

/** How a check came out, with what to do where it did not hold. */
export interface CheckOutcome extends CloseCheck {
  name: CloseCheckName;
  todo: string | null;
}

/** Makes each check, also after one that did not hold. Throws where something cannot be read. */
export async function checkMonth(
  subject: CheckedMonth,
  accepted: ReadonlySet<CloseCheckName>,
): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  for (const [name, { means, todo, look }] of Object.entries(checks) as [CloseCheckName, MonthCheck][]) {
    const wrong = await look(subject);
    const holds = wrong.length === 0;
    const detail = holds ? means : firstOf(wrong, "; ");
    outcomes.push({ name, holds, detail, accepted: !holds && accepted.has(name), todo: holds ? null : todo });
  }
  return outcomes;
}

function gapsOf(invariants: AuditReport["invariants"]): string[] {
  return invariants.filter(({ holds }) => !holds).map(({ name, detail }) => `${name}: ${detail}`);
}

/** Organizations that were there in the month, and whose sums are not sealed. A close reads no project's sums. */
async function unsealed({ month, ledger, organizations }: CheckedMonth): Promise<string[]> {
  const found: string[] = [];
  const all = await Array.fromAsync(organizations());
  await eachOf(all, reportBounds.organizationsAtOnce, async ({ id, created_at }) => {
    if (created_at >= spanEnd(month)) return;
    if ((await ledger.seal(id, "")).month < month) found.push(id);
  });
  return found.sort();
}

/** The ids of those that were made before the month's end and are not done. */
async function unfinished<Made extends { id: string; created_at: number }>(
  all: AsyncIterable<Made>,
  { month }: Pick<CheckedMonth, "month">,
  isOpen: (each: Made) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  for await (const each of all) if (isOpen(each) && each.created_at < spanEnd(month)) found.push(each.id);
  return found;
}

async function openBills({ margin, bills }: CheckedMonth): Promise<string[]> {
  const [{ providers: ours }, report] = [await margin(), await bills()];
  const billed = new Map(report.providers.map((each) => [each.provider, each]));
  const found: string[] = [];
  for (const { provider, house_cost, unknown_cost_calls } of ours) {
    if (provider === null || (house_cost === "0" && unknown_cost_calls === 0)) continue;
    const bill = billed.get(provider);
    const unbilled = bill?.unbilled_days ?? [];
    if (!bill) found.push(`${provider} has no bill`);
    else if (unbilled.length > 0) found.push(`${provider} has no bill for ${firstOf([...unbilled])}`);
  }
  for (const provider of report.providers)
    if (isUnexplained({ ...report, providers: [provider] }))
      found.push(`${provider.provider} has differences that nothing explains`);
  return found;
}
