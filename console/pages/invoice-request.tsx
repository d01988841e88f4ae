/** The request of an invoice: the orders on it, its title, and where it is sent. */
import { useState } from "preact/hooks";
import { total } from "../amount.ts";
import { day, money } from "../format.ts";
import { useAction } from "../load.ts";
import type { Invoice, InvoiceableOrder } from "../money-types.ts";
import { Button } from "../parts/button.tsx";
import { Choice, Field } from "../parts/field.tsx";
import { Note, ProblemNote } from "../parts/note.tsx";
import { Table } from "../parts/table.tsx";
import { api } from "../session.ts";
import type { words as english } from "../words/en/invoices.ts";

type Words = typeof english;
type Kind = Invoice["title"]["kind"];

const empty = { kind: "company" as Kind, name: "", taxId: "", email: "" };

type Form = typeof empty;

/** The fields that cannot be sent as they are. The server checks the tax id whole. */
function wrongOf({ kind, name, taxId, email }: Form): Set<keyof Form> {
  return new Set([
    ...(name.trim() ? [] : ["name" as const]),
    ...(kind === "personal" || taxId.trim() ? [] : ["taxId" as const]),
    ...(/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim()) ? [] : ["email" as const]),
  ]);
}

export function Request({
  words,
  orders,
  onSent,
}: {
  words: Words;
  orders: InvoiceableOrder[];
  onSent: () => void;
}) {
  // Most want all on one invoice, so those of the first one's currency are chosen already.
  const [picked, setPicked] = useState(
    () =>
      new Set(orders.filter(({ currency }) => currency === orders[0]?.currency).map(({ order }) => order)),
  );
  const [form, setForm] = useState(empty);
  const [wrong, setWrong] = useState<Set<keyof Form>>();
  const [isSent, setSent] = useState(false);
  const { run, isRunning, problem } = useAction();
  // An order that was invoiced meanwhile is in the list no more.
  const chosen = orders.filter(({ order }) => picked.has(order));
  const submit = async (event: Event) => {
    event.preventDefault();
    const found = wrongOf(form);
    setWrong(found);
    setSent(false);
    if (found.size > 0 || chosen.length === 0 || isRunning) return;
    const { kind, name, taxId, email } = form;
    const title = { kind, name: name.trim(), ...(kind === "company" && { tax_id: taxId.trim() }) };
    const body = { orders: chosen.map(({ order }) => order), title, email: email.trim() };
    const made = await run(() => api.post<Invoice>("/api/v1/invoices", body));
    if (!made) return;
    setPicked(new Set());
    setSent(true);
    onSent();
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <Pick words={words} orders={orders} chosen={chosen} onPick={setPicked} />
      <div class="card">
        <h3>{words.sum(sumOf(chosen))}</h3>
        <Title words={words} form={form} wrong={wrong} onForm={setForm} />
        {wrong && chosen.length === 0 && !isSent && <p class="wrong">{words.pick}</p>}
        <ProblemNote problem={problem} />
        <div role="status">{isSent && <Note look="good">{words.sent}</Note>}</div>
        <div class="row">
          <Button type="submit" look="main" isBusy={isRunning}>
            {words.send}
          </Button>
        </div>
      </div>
    </form>
  );
}

function sumOf(chosen: InvoiceableOrder[]): string {
  const [first] = chosen;
  if (!first) return "–";
  return money(
    chosen.map(({ amount }) => amount).reduce((sum, amount) => total(sum, amount)),
    first.currency,
  );
}

function Pick({
  words,
  orders,
  chosen,
  onPick,
}: {
  words: Words;
  orders: InvoiceableOrder[];
  chosen: InvoiceableOrder[];
  onPick: (picked: Set<string>) => void;
}) {
  const currency = chosen[0]?.currency;
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
        {
          name: words.order,
          cell: ({ order, currency: own }) => (
            <label class="pick">
              <input
                type="checkbox"
                aria-label={words.choose(order)}
                checked={chosen.some((each) => each.order === order)}
                disabled={currency !== undefined && own !== currency}
                onChange={(event) => toggle(order, event.currentTarget.checked)}
              />
              <code>{order}</code>
            </label>
          ),
        },
        { name: words.paid, isWide: true, cell: ({ paid_at }) => day(paid_at) },
        { name: words.amount, isNumber: true, cell: (each) => money(each.amount, each.currency) },
      ]}
    />
  );
}

function Title({
  words,
  form,
  wrong,
  onForm,
}: {
  words: Words;
  form: Form;
  wrong: Set<keyof Form> | undefined;
  onForm: (form: Form) => void;
}) {
  const set = (change: Partial<Form>) => onForm({ ...form, ...change });
  return (
    <>
      <Choice
        look="segments"
        label={words.kind}
        value={form.kind}
        options={(["company", "personal"] as const).map((value) => ({ value, name: words.kinds[value] }))}
        onValue={(kind) => set({ kind })}
      />
      <div class="pair">
        <Field
          label={words.name}
          autocomplete={form.kind === "company" ? "organization" : "name"}
          maxLength={100}
          value={form.name}
          onValue={(name) => set({ name })}
          wrong={wrong?.has("name") && words.nameWrong}
        />
        {form.kind === "company" && (
          <Field
            label={words.taxId}
            hint={words.taxIdHint}
            autocomplete="off"
            maxLength={20}
            value={form.taxId}
            onValue={(taxId) => set({ taxId })}
            wrong={wrong?.has("taxId") && words.taxIdWrong}
          />
        )}
        <Field
          label={words.email}
          hint={words.emailHint}
          type="email"
          inputMode="email"
          autocomplete="email"
          value={form.email}
          onValue={(email) => set({ email })}
          wrong={wrong?.has("email") && words.emailWrong}
        />
      </div>
    </>
  );
}
