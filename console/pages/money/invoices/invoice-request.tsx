/** The request of an invoice: the orders on it, its title, and where it is sent. */
import { useState } from "preact/hooks";
import type { InvoiceableOrder } from "../../../api-types.ts";
import { day, money } from "../../../format.ts";
import {
  emptyInvoiceForm,
  firstChosen,
  type InvoiceForm,
  invoiceBody,
  mayJoin,
  needsTaxId,
  sumOf,
  wrongOf,
} from "../../../invoice-form.ts";
import { useAction } from "../../../load.ts";
import { Button } from "../../../parts/button.tsx";
import { Choice, Field, fieldsOf } from "../../../parts/field.tsx";
import { ProblemNote } from "../../../parts/note.tsx";
import { Table } from "../../../parts/table.tsx";
import { api } from "../../../session.ts";

type Words = typeof import("./en.ts").words;
interface RequestProps {
  words: Words;
  orders: InvoiceableOrder[];
  onSent: () => void;
}

export function Request({ words, orders, onSent }: RequestProps) {
  const [picked, setPicked] = useState(() => firstChosen(orders));
  const [form, setForm] = useState(emptyInvoiceForm);
  const [wrong, setWrong] = useState<Set<keyof InvoiceForm>>();
  const { run, isRunning, problem } = useAction();
  // An order that was invoiced meanwhile is in the list no more.
  const chosen = orders.filter(({ order }) => picked.has(order));
  const currency = (chosen[0] ?? orders[0])?.currency;
  const submit = async (event: Event) => {
    event.preventDefault();
    const found = wrongOf(form, currency);
    setWrong(found);
    if (found.size > 0 || chosen.length === 0 || isRunning) return;
    const made = await run(() => api.post<"request_invoice">("/api/v1/invoices", invoiceBody(form, chosen)));
    if (!made) return;
    setPicked(new Set());
    setWrong(undefined);
    onSent();
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <Pick words={words} orders={orders} chosen={chosen} onPick={setPicked} />
      <div class="card">
        <h3>{words.sum(chosen.length > 0 && currency ? money(sumOf(chosen), currency) : "–")}</h3>
        <Title words={words} form={form} currency={currency} wrong={wrong} onForm={setForm} />
        {wrong && chosen.length === 0 && <p class="wrong">{words.pick}</p>}
        <ProblemNote problem={problem} />
        <div class="row">
          <Button type="submit" look="main" isBusy={isRunning}>
            {words.send}
          </Button>
        </div>
      </div>
    </form>
  );
}

interface PickProps {
  words: Words;
  orders: InvoiceableOrder[];
  chosen: InvoiceableOrder[];
  onPick: (picked: Set<string>) => void;
}

function Pick({ words, orders, chosen, onPick }: PickProps) {
  const toggle = (order: string, isOn: boolean) => {
    const others = chosen.map((each) => each.order).filter((each) => each !== order);
    onPick(new Set(isOn ? [...others, order] : others));
  };
  return (
    <Table
      caption={words.request}
      rows={orders}
      keyOf={({ order }) => order}
      columns={[
        [
          words.order,
          (each) => (
            <label class="pick">
              <input
                type="checkbox"
                aria-label={words.choose(each.order)}
                checked={chosen.includes(each)}
                disabled={!chosen.includes(each) && !mayJoin(each, chosen)}
                onChange={(event) => toggle(each.order, event.currentTarget.checked)}
              />
              <code>{each.order}</code>
            </label>
          ),
        ],
        [words.paid, ({ paid_at }) => day(paid_at), "wide"],
        [words.amount, (each) => money(each.amount, each.currency), "number"],
      ]}
    />
  );
}

interface TitleProps {
  words: Words;
  form: InvoiceForm;
  currency: string | undefined;
  wrong: Set<keyof InvoiceForm> | undefined;
  onForm: (form: InvoiceForm) => void;
}

function Title({ words, form, currency, wrong, onForm }: TitleProps) {
  const isNeeded = needsTaxId(form.kind, currency);
  const field = fieldsOf(form, (change) => onForm({ ...form, ...change }));
  return (
    <>
      <Choice
        label={words.kind}
        options={(["company", "personal"] as const).map((value) => ({ value, name: words.kinds[value] }))}
        {...field("kind")}
      />
      <div class="pair">
        <Field
          label={words.name}
          autocomplete={form.kind === "company" ? "organization" : "name"}
          maxLength={100}
          {...field("name")}
          wrong={wrong?.has("name") && words.nameWrong}
        />
        {form.kind === "company" && (
          <Field
            label={words.tax}
            hint={isNeeded ? words.taxIdHint : words.taxIdFree}
            autocomplete="off"
            maxLength={30}
            {...field("taxId")}
            wrong={wrong?.has("taxId") && words.taxIdWrong}
          />
        )}
        <Field
          label={words.email}
          hint={words.emailHint}
          type="email"
          inputMode="email"
          autocomplete="email"
          {...field("email")}
          wrong={wrong?.has("email") && words.emailWrong}
        />
      </div>
    </>
  );
}
