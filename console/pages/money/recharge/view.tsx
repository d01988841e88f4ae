/** Recharge: what to pay and how, the order that is being paid, and all orders. */
import { useState } from "preact/hooks";
import { amountWithin, roundAmounts, worth } from "../../../amount.ts";
import type { List, Order, PaymentMethod } from "../../../api-types.ts";
import { minute, money, points } from "../../../format.ts";
import { type Loading, useAction, useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Chip } from "../../../parts/chip.tsx";
import { Field } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty, ProblemNote } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { Figure, Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { query, setQuery } from "../../../router.ts";
import { account, api, may } from "../../../session.ts";
import { methodsOfCards } from "../../../top-up-form.ts";
import { frameWords } from "../../../words.ts";
import { useWriteKey } from "../../../write-key.ts";
import { amountOf, canAsk, insteadOf, nameOf, PayDialog, StateBadge } from "../orders/pay.tsx";
import { NoWays, PayBy, waysOf } from "../orders/pay-by.tsx";
import { LowWallet } from "./low-wallet.tsx";
import { TopUp } from "./top-up.tsx";

type Words = typeof import("./en.ts").words;
type Of = { words: Words };

export function Page({ words }: PageProps<Words>) {
  const methods = useRead<"list_payment_methods">("/api/v1/payment-methods");
  const orders = useRead<"list_recharges">("/api/v1/recharges");
  // Payment pages lead back here with the order in the address.
  const shown = query.value.get("order");
  const cardMethods = methodsOfCards(methods.value?.data ?? []);
  return (
    <Sheet lead={words.lead}>
      <Loaded of={methods}>
        {({ data }) =>
          data.length === 0 ? (
            <NoWays words={words.orders} />
          ) : (
            <Form {...{ words, methods: data, onMade: orders.reload }} />
          )
        }
      </Loaded>
      {may("manage_billing") && <LowWallet words={words} />}
      {may("manage_billing") && cardMethods.length > 0 && <TopUp words={words} methods={cardMethods} />}
      <Orders words={words} orders={orders} />
      {shown && (
        <PayDialog
          key={shown}
          words={words.orders}
          id={shown}
          onClose={() => setQuery({ order: undefined })}
          onChange={orders.reload}
        />
      )}
    </Sheet>
  );
}

function Form({ words, methods, onMade }: Of & { methods: readonly PaymentMethod[]; onMade: () => void }) {
  const ways = waysOf(methods);
  const [way, setWay] = useState(ways[0]);
  const [typed, setTyped] = useState("100");
  const [isWrong, setWrong] = useState(false);
  const { run, isRunning, problem } = useAction();
  const key = useWriteKey();
  if (!way) return null;
  const { channel, method } = way;
  const { currency, min, max } = method;
  const amount = amountWithin(typed, method);
  const bounds = [money(min, currency), money(max, currency)] as const;
  const submit = async (event: Event) => {
    event.preventDefault();
    setWrong(!amount);
    if (!amount || isRunning) return;
    const body = { amount, currency, channel };
    const idempotencyKey = key.of(JSON.stringify(body));
    const order = await run(() => api.post<"create_recharge">("/api/v1/recharges", body, { idempotencyKey }));
    if (!order) return;
    key.forget();
    onMade();
    setQuery({ order: order.id });
  };
  return (
    <form class="card pay-form" onSubmit={submit} noValidate>
      <div class="stack">
        <PayBy words={words.orders} ways={ways} value={way} onValue={setWay} />
        <Amounts words={words} method={method} amount={amount} onValue={setTyped} />
        <Field
          label={words.amount}
          hint={words.bounds(...bounds)}
          before={currency}
          inputMode="decimal"
          autocomplete="off"
          value={typed}
          onValue={setTyped}
          wrong={isWrong && !amount && words.wrong(...bounds)}
        />
        <ProblemNote problem={problem} />
        <div class="row">
          <Button type="submit" look="main" isBusy={isRunning}>
            {words.pay(amount ? money(amount, currency) : currency)}
          </Button>
        </div>
      </div>
      <div class="stack">
        <Figures words={words} method={method} amount={amount} />
        <div>
          <h2>{words.late}</h2>
          <p class="faint">{words.lateLead}</p>
        </div>
      </div>
    </form>
  );
}

type OfAmount = Of & { method: PaymentMethod; amount: string | undefined };

function Amounts({ words, method, amount, onValue }: OfAmount & { onValue: (text: string) => void }) {
  return (
    <fieldset class="chips" aria-label={words.amounts}>
      {roundAmounts(method).map((each) => (
        <Chip key={each} isOn={each === amount} onPress={() => onValue(each.replace(/\.0+$/, ""))}>
          {money(each, method.currency).replace(/\.0+$/, "")}
        </Chip>
      ))}
    </fieldset>
  );
}

/** The balance, and what the amount adds to it. */
function Figures({ words, method, amount }: OfAmount) {
  return (
    <dl class="pay-figures">
      <Figure name={words.balance}>
        {account.value?.wallet ? points(account.value.wallet.balance_points) : "–"}{" "}
        <small>{frameWords.value.points}</small>
      </Figure>
      <Figure name={words.get}>
        <output>{amount ? `+ ${points(worth(amount, method.points_per_unit))}` : "–"}</output>{" "}
        <small>{frameWords.value.points}</small>
      </Figure>
    </dl>
  );
}

function Orders({ words, orders }: Of & { orders: Loading<List<Order>> }) {
  return (
    <Section title={words.list} lead={words.listLead}>
      <Paged
        of={orders}
        path="/api/v1/recharges"
        file="orders"
        empty={<Empty title={words.none}>{words.noneLead}</Empty>}
      >
        {(all) => (
          <Table
            caption={words.list}
            rows={all}
            keyOf={({ id }) => id}
            isOff={({ state }) => state === "closed"}
            columns={[
              [words.what, (order) => <What words={words} order={order} />],
              [words.paid, amountOf, "number wide"],
              [words.state, ({ state }) => <StateBadge words={words.orders} state={state} />],
              [words.show, (order) => <Show words={words} order={order} />, "acts"],
            ]}
          />
        )}
      </Paged>
    </Section>
  );
}

function What({ words, order }: Of & { order: Order }) {
  const { channel, currency, refunded } = order;
  const instead = insteadOf(order, words.orders);
  return (
    <>
      {nameOf(order, words.orders)}
      <br />
      <span class="faint">
        <span class="slim">{amountOf(order)}, </span>
        {instead && `${instead}, `}
        {minute(order.created_at)}, {words.orders.channels[channel]}
        {/[1-9]/.test(refunded) && `, ${words.refunded(money(refunded, currency))}`}
      </span>
    </>
  );
}

/** The dialog asks the platform, so both buttons open it. */
function Show({ words, order }: Of & { order: Order }) {
  const isAsk = canAsk(order);
  return (
    <Button
      isSmall
      label={(isAsk ? words.againOf : words.showOf)(order.id)}
      onPress={() => setQuery({ order: order.id })}
    >
      {isAsk ? words.again : words.show}
    </Button>
  );
}
