/** Invoices: what has none yet, the request of one, and all with their states. */
import { useState } from "preact/hooks";
import type { Invoice, List } from "../../../api-types.ts";
import { day, money } from "../../../format.ts";
import { type Loading, useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Badge } from "../../../parts/badge.tsx";
import { ButtonLink } from "../../../parts/button.tsx";
import { Empty, Note } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { page as rechargePage } from "../recharge/page.ts";
import { Request } from "./invoice-request.tsx";

type Words = typeof import("./en.ts").words;
type Of = { words: Words };

export function Page({ words }: PageProps<Words>) {
  const invoices = useRead<"list_invoices">("/api/v1/invoices");
  const orders = useRead<"list_invoiceable_orders">("/api/v1/invoices/orders");
  // The form goes when no order is left for it, so what it says of the last request stands outside.
  const [isSent, setSent] = useState(false);
  const sent = () => {
    setSent(true);
    orders.reload();
    invoices.reload();
  };
  return (
    <Sheet lead={words.lead}>
      <Section title={words.request} lead={words.requestLead}>
        <Paged of={orders} path="/api/v1/invoices/orders">
          {(all, hasMore) =>
            all.length > 0 ? (
              <Request words={words} orders={all} onSent={sent} />
            ) : hasMore ? (
              <p>{words.further}</p>
            ) : (
              <Empty
                title={words.none}
                action={<ButtonLink href={rechargePage.path}>{words.recharge}</ButtonLink>}
              >
                {words.noneLead}
              </Empty>
            )
          }
        </Paged>
        <div role="status">{isSent && <Note look="good">{words.sent}</Note>}</div>
      </Section>
      <Invoices words={words} invoices={invoices} />
    </Sheet>
  );
}

const looks = { requested: "warn", issued: "good", rejected: "bad", voided: "plain" } as const;

function Invoices({ words, invoices }: Of & { invoices: Loading<List<Invoice>> }) {
  return (
    <Section title={words.list}>
      <Paged
        of={invoices}
        path="/api/v1/invoices"
        file="invoices"
        empty={<Empty title={words.empty}>{words.emptyLead}</Empty>}
      >
        {(all) => (
          <Table
            caption={words.list}
            rows={all}
            keyOf={({ id }) => id}
            isOff={({ state }) => state === "voided"}
            columns={[
              [words.number, (invoice) => <Title words={words} invoice={invoice} />],
              [words.amount, (invoice) => <Amount words={words} invoice={invoice} />, "number"],
              [
                words.requested,
                ({ created_at, orders, email }) => (
                  <>
                    {day(created_at)}
                    <br />
                    <span class="faint">
                      {words.orders(orders.length)}, {email}
                    </span>
                  </>
                ),
                "wide",
              ],
              [words.state, (invoice) => <State words={words} invoice={invoice} />],
            ]}
          />
        )}
      </Paged>
    </Section>
  );
}

function Title({ words, invoice: { number, title } }: Of & { invoice: Invoice }) {
  return (
    <>
      {number ?? <span class="faint">{words.noNumber}</span>}
      <br />
      <span class="faint">
        {title.name}
        {title.tax_id && (
          <>
            , <code>{title.tax_id}</code>
          </>
        )}
      </span>
    </>
  );
}

/** What is paid, and the tax in it. */
function Amount({ words, invoice: { amount, currency, tax } }: Of & { invoice: Invoice }) {
  return (
    <>
      {money(amount, currency)}
      {tax && (
        <span class="faint">
          <br />
          {words.net(money(tax.net, currency))}
          <br />
          {tax.reverse_charge ? words.reverse : `${tax.name} ${tax.rate}% ${money(tax.tax, currency)}`}
        </span>
      )}
    </>
  );
}

function State({ words, invoice: { state, issued_at, reason } }: Of & { invoice: Invoice }) {
  return (
    <>
      <Badge look={looks[state]}>{words.states[state]}</Badge>
      <br />
      <span class="faint">{reason ?? (issued_at && words.issuedOn(day(issued_at)))}</span>
    </>
  );
}
