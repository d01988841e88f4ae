/** What waits for somebody who runs the gateway: orders in review, invoices to issue, credits for a second person. */
import type { ComponentChildren } from "preact";
import type { Loading } from "../../../load.ts";
import { InvoiceRows, OrderRows, ProposalRows } from "../../../operators/rows.tsx";
import { useOperatorRead } from "../../../operators/signed-in.ts";
import { operatorWords } from "../../../operators/words.ts";
import type { PageProps } from "../../../page.ts";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { page as invoicesPage } from "../invoices/page.ts";
import { page as ordersPage } from "../orders/page.ts";
import { page as proposalsPage } from "../proposals/page.ts";

type Words = typeof import("./en.ts").words;

export function Page({ words }: PageProps<Words>) {
  const orders = useOperatorRead<"list_reviews">("/api/admin/v1/orders/in-review?limit=5");
  const invoices = useOperatorRead<"list_waiting_invoices">("/api/admin/v1/invoices/waiting?limit=5");
  const proposals = useOperatorRead<"list_proposals">("/api/admin/v1/proposals?limit=20");
  const reads = [orders, invoices, proposals];
  const again = (
    <Button
      isBusy={reads.some(({ isReading }) => isReading)}
      onPress={() => reads.map((each) => each.reload())}
    >
      {operatorWords.value.read}
    </Button>
  );
  return (
    <Sheet lead={words.lead} actions={again}>
      <Waiting
        title={words.orders}
        lead={words.ordersLead}
        all={ordersPage.path}
        none={words.noOrders}
        of={orders}
      >
        {(rows) => <OrderRows caption={words.orders} rows={rows} />}
      </Waiting>
      <Waiting
        title={words.invoices}
        lead={words.invoicesLead}
        all={invoicesPage.path}
        none={words.noInvoices}
        of={invoices}
      >
        {(rows) => <InvoiceRows caption={words.invoices} rows={rows} />}
      </Waiting>
      <Waiting
        title={words.proposals}
        lead={words.proposalsLead}
        all={proposalsPage.path}
        none={words.noProposals}
        of={proposals}
        isShown={({ state }) => state === "open"}
      >
        {(rows) => <ProposalRows caption={words.proposals} rows={rows} />}
      </Waiting>
    </Sheet>
  );
}

interface WaitingProps<Row> {
  title: string;
  lead: string;
  /** Where all of them are. */
  all: string;
  none: string;
  of: Loading<{ data: readonly Row[] }>;
  isShown?: (row: Row) => boolean;
  children: (rows: readonly Row[]) => ComponentChildren;
}

function Waiting<Row>({ title, lead, all, none, of, isShown = () => true, children }: WaitingProps<Row>) {
  return (
    <Section
      title={title}
      lead={lead}
      actions={<ButtonLink href={all}>{operatorWords.value.all}</ButtonLink>}
    >
      <Loaded of={of} lines={2}>
        {({ data }) => {
          const rows = data.filter(isShown);
          return rows.length > 0 ? children(rows) : <p>{none}</p>;
        }}
      </Loaded>
    </Section>
  );
}
