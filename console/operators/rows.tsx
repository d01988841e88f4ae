/** Rows of what waits for a decision, as several of the operators' pages show them. */
import type { CreditProposal, OperatedInvoiceLine, OperatedOrderLine } from "../api-types.ts";
import { day, minute, money } from "../format.ts";
import { page as customersPage } from "../pages/operators/customers/page.ts";
import { page as invoicesPage } from "../pages/operators/invoices/page.ts";
import { page as ordersPage } from "../pages/operators/orders/page.ts";
import { page as proposalsPage } from "../pages/operators/proposals/page.ts";
import { Badge } from "../parts/badge.tsx";
import { Points } from "../parts/points.tsx";
import { Table } from "../parts/table.tsx";
import { operatorWords } from "./words.ts";

interface RowsProps<Row> {
  caption: string;
  rows: readonly Row[];
  /** They are all of one customer, who is not named in each. */
  isOfOne?: boolean;
}

const good = ["credited", "issued", "confirmed", "active", "paid"];
const open = ["review", "requested", "open", "pending", "created", "refunding", "closing"];

/** A state of an order, an invoice, a proposal, a key or a customer. */
export function State({ of }: { of: string }) {
  const look = good.includes(of) ? "good" : open.includes(of) ? "warn" : "plain";
  return <Badge look={look}>{operatorWords.value.states[of] ?? of}</Badge>;
}

/** A customer, by the id that all records name. */
export function CustomerLink({ id }: { id: string }) {
  return (
    <a href={`${customersPage.path}/${id}`}>
      <code>{id}</code>
    </a>
  );
}

/** A link to the page of one thing of a list. */
function One({ list, id }: { list: string; id: string }) {
  return (
    <a href={`${list}/${id}`}>
      <code>{id}</code>
    </a>
  );
}

const Day = ({ at }: { at: string }) => <span title={minute(at)}>{day(at)}</span>;

export function OrderRows({ caption, rows, isOfOne }: RowsProps<OperatedOrderLine>) {
  const words = operatorWords.value;
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        [words.order, ({ id }) => <One list={ordersPage.path} id={id} />],
        ...(isOfOne ? [] : [ofCustomer<OperatedOrderLine>()]),
        [words.kind, ({ kind }) => words.things[kind] ?? kind, "wide"],
        [words.payer, ({ channel }) => words.channels[channel] ?? channel, "wide"],
        [words.state, ({ state }) => <State of={state} />],
        [words.amount, ({ amount, currency }) => money(amount, currency), "number"],
        [words.since, ({ created_at }) => <Day at={created_at} />, "wide"],
      ]}
    />
  );
}

export function InvoiceRows({ caption, rows, isOfOne }: RowsProps<OperatedInvoiceLine>) {
  const words = operatorWords.value;
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        [words.invoice, ({ id }) => <One list={invoicesPage.path} id={id} />],
        ...(isOfOne ? [] : [ofCustomer<OperatedInvoiceLine>()]),
        [words.invoiceTitle, ({ title }) => title, "wide"],
        [words.state, ({ state }) => <State of={state} />],
        [words.amount, ({ amount, currency }) => money(amount, currency), "number"],
        [words.since, ({ created_at }) => <Day at={created_at} />, "wide"],
      ]}
    />
  );
}

export function ProposalRows({ caption, rows }: RowsProps<CreditProposal>) {
  const words = operatorWords.value;
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      isOff={({ state }) => state !== "open"}
      columns={[
        [words.proposal, ({ id }) => <One list={proposalsPage.path} id={id} />],
        ofCustomer(),
        [words.proposer, ({ proposed_by }) => proposed_by.name, "wide"],
        [words.state, ({ state }) => <State of={state} />],
        [words.points, ({ points }) => <Points of={points} />, "number"],
        [words.ends, ({ ends_at }) => minute(ends_at), "wide"],
      ]}
    />
  );
}

function ofCustomer<Row extends { organization: string }>() {
  return [
    operatorWords.value.customer,
    ({ organization }: Row) => <CustomerLink id={organization} />,
    "wide",
  ] as const;
}
