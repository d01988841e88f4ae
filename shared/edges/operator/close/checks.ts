/** What must hold before a month is closed, each with what to do where it does not (books/close/README.md "Checks"). */
import { limits } from "../../../base/limits.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import { spanEnd } from "../../../books/billing/period.ts";
import type { CloseCheck } from "../../../books/close/summary.ts";
import type { Ledger, RollupOwner } from "../../../books/ledger/ledger.ts";
import { type BillsReport, isUnexplained } from "../../../books/reports/bills/report.ts";
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
  /** All organizations and their projects. */
  places(): AsyncIterable<RollupOwner>;
  /** The requests of calls and tasks that are at least so many seconds old and hold something. */
  holds(olderThanSeconds: number): Promise<readonly { request: string }[]>;
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
    means: "the sums of the month are sealed for each organization and project",
    todo: "run: operator seal",
    look: unsealed,
  },
  calls_have_ended: {
    means: "no call and no video of the month holds points",
    todo: "see operator holds, then run: operator sweep",
    look: async ({ month, now, holds }) =>
      (await holds(Math.ceil((now - spanEnd(month)) / 1000))).map(({ request }) => request),
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
    means: "each invariant of the books holds",
    todo: "run: operator audit",
    look: async ({ audit }) => {
      const { ok, invariants } = await audit();
      const gaps = invariants.filter(({ holds }) => !ok && !holds);
      return gaps.map(({ name, detail }) => `${name}: ${detail}`);
    },
  },
  orders_are_settled: {
    means: "no order of the month is open, in review, or being paid back",
    todo: "see operator order list, and decide with: operator order review",
    mayAccept: true,
    look: ({ orders, ...subject }) =>
      unfinished(orders(), subject, ({ state }) => openOrders.includes(state)),
  },
  invoices_are_issued: {
    means: "no invoice that was requested in the month waits",
    todo: "see operator invoice list, then run: operator invoice issue or reject",
    mayAccept: true,
    look: ({ invoices, ...subject }) => unfinished(invoices(), subject, ({ state }) => state === "requested"),
  },
  bills_are_explained: {
    means: "each provider that cost something has a bill for each day, and no difference is unexplained",
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

async function unsealed({ month, ledger, places }: CheckedMonth): Promise<string[]> {
  const found: string[] = [];
  for await (const { organization, project } of places()) {
    const seal = await ledger.seal(organization, project);
    if (seal.month < month) found.push(project === "" ? organization : `${organization} ${project}`);
  }
  return found;
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
    const missing = bill?.sections.flatMap(({ days_without_bill }) => days_without_bill) ?? [];
    if (!bill) found.push(`${provider} has no bill`);
    else if (missing.length > 0) found.push(`${provider} has no bill for ${firstOf(missing)}`);
  }
  for (const provider of report.providers)
    if (isUnexplained({ ...report, providers: [provider] }))
      found.push(`${provider.provider} has differences that nothing explains`);
  return found;
}
