/** Invoices that wait to be issued. With an id behind its path, the page is that invoice's own, in whatever state. */

import { useState } from "preact/hooks";
import type { OperatedInvoice } from "../../../api-types.ts";
import { minute, money } from "../../../format.ts";
import { listAndOne, type OneProps } from "../../../operators/list-and-one.tsx";
import { Needs } from "../../../operators/needs.tsx";
import { CustomerLink, InvoiceRows, State } from "../../../operators/rows.tsx";
import { useOperatorRead } from "../../../operators/signed-in.ts";
import { Told } from "../../../operators/told.tsx";
import { operatorWords } from "../../../operators/words.ts";
import { WriteDialog } from "../../../operators/write-dialog.tsx";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Field } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty, Note } from "../../../parts/note.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { page as ordersPage } from "../orders/page.ts";
import { page } from "./page.ts";

type Words = typeof import("./en.ts").words;

export const Page = listAndOne<Words>(page.path, WaitingInvoices, OneInvoice);

function WaitingInvoices({ words }: { words: Words }) {
  const invoices = useOperatorRead<"list_waiting_invoices">("/api/admin/v1/invoices/waiting?limit=50");
  return (
    <Sheet lead={words.lead} actions={<Button onPress={invoices.reload}>{operatorWords.value.read}</Button>}>
      <Loaded of={invoices}>
        {({ data, has_more }) =>
          data.length === 0 ? (
            <Empty title={words.none}>{words.noneLead}</Empty>
          ) : (
            <>
              <InvoiceRows caption={pageTitle()} rows={data} />
              {has_more && <p class="faint">{words.more}</p>}
            </>
          )
        }
      </Loaded>
    </Sheet>
  );
}

function OneInvoice({ words, id, back }: OneProps<Words>) {
  const path = `/api/admin/v1/invoices/${encodeURIComponent(id)}` as const;
  const invoice = useOperatorRead<"show_invoice">(path);
  const [asked, setAsked] = useState<"issue" | "reject">();
  const [done, setDone] = useState<OperatedInvoice>();
  const shared = operatorWords.value;
  const close = () => setAsked(undefined);
  const decided = (whole: OperatedInvoice) => {
    setDone(whole);
    invoice.reload();
  };
  return (
    <Sheet
      title={shared.invoice}
      lead={<code>{id}</code>}
      actions={
        <>
          <ButtonLink href={back}>{shared.back}</ButtonLink>
          {invoice.value?.state === "requested" && (
            <Needs scope="finance" act={`${words.issue}, ${words.reject}`}>
              <Button onPress={() => setAsked("reject")}>{words.reject}</Button>
              <Button look="main" onPress={() => setAsked("issue")}>
                {words.issue}
              </Button>
            </Needs>
          )}
        </>
      }
    >
      <Told>{done && <Note look="good">{words.done(shared.states[done.state] ?? done.state)}</Note>}</Told>
      <Loaded of={invoice}>{(whole) => <InvoiceFacts words={words} of={whole} />}</Loaded>
      {asked === "issue" && <Issue words={words} path={`${path}/issue`} onClose={close} onDone={decided} />}
      {asked === "reject" && (
        <WriteDialog<"reject_invoice">
          title={words.reject}
          action={words.reject}
          path={`${path}/reject`}
          body={(reason) => ({ reason })}
          onClose={close}
          onDone={decided}
        />
      )}
    </Sheet>
  );
}

function InvoiceFacts({ words, of }: { words: Words; of: OperatedInvoice }) {
  const shared = operatorWords.value;
  const { title, currency, paid_back, orders } = of;
  return (
    <FactList
      facts={[
        [shared.customer, <CustomerLink key="customer" id={of.organization} />],
        [shared.state, <State key="state" of={of.state} />],
        [words.number, of.number],
        [shared.amount, money(of.amount, currency)],
        [words.paidBack, /[1-9]/.test(paid_back) && money(paid_back, currency)],
        [shared.invoiceTitle, title.name],
        [words.taxNumber, title.tax_id],
        [words.email, of.email],
        [
          words.orders,
          orders.map((order) => (
            <div key={order}>
              <a href={`${ordersPage.path}/${order}`}>
                <code>{order}</code>
              </a>
            </div>
          )),
        ],
        [words.file, of.file],
        [words.why, of.reason],
        [shared.since, minute(of.created_at)],
      ]}
    />
  );
}

interface IssueProps {
  words: Words;
  path: `/api/admin/v1/invoices/${string}/issue`;
  onClose: () => void;
  onDone: (invoice: OperatedInvoice) => void;
}

function Issue({ words, path, onClose, onDone }: IssueProps) {
  const [file, setFile] = useState("");
  const text = file.trim();
  return (
    <WriteDialog<"issue_invoice">
      title={words.issue}
      action={words.issue}
      path={path}
      body={(reason) => (text === "" ? undefined : { file: text, reason })}
      onClose={onClose}
      onDone={onDone}
      fields={(isTried) => (
        <Field
          label={words.file}
          hint={words.fileHint}
          wrong={isTried && text === "" && words.fileWrong}
          value={file}
          onValue={setFile}
          autocomplete="off"
        />
      )}
    />
  );
}
