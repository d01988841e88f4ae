/** The offer of one plan: how it is paid, what it costs now, and the order. */
import { useState } from "preact/hooks";
import { isEnough, total } from "../../../amount.ts";
import { withQuery } from "../../../api.ts";
import type { PaymentMethod, PlanPeriod, PlanQuote } from "../../../api-types.ts";
import { minute, money, planName } from "../../../format.ts";
import { useAction, useRead } from "../../../load.ts";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Note, ProblemNote } from "../../../parts/note.tsx";
import { account, api, readAccount } from "../../../session.ts";
import { frameWords } from "../../../words.ts";
import { useWriteKey } from "../../../write-key.ts";
import { NoWays, PayBy, walletWay, waysOf } from "../orders/pay-by.tsx";
import { page as rechargePage } from "../recharge/page.ts";

type Words = typeof import("./en.ts").words;

export interface WantedPlan {
  plan: string;
  period: PlanPeriod;
}

interface OfferProps {
  words: Words;
  wanted: WantedPlan;
  onClose: () => void;
  onOrdered: (id: string) => void;
}

export function Offer({ words, wanted, onClose, onOrdered }: OfferProps) {
  const methods = useRead<"list_payment_methods">("/api/v1/payment-methods");
  return (
    <Dialog
      title={words.dialog(`${planName(wanted.plan)}, ${words.orders.periods[wanted.period]}`)}
      onClose={onClose}
    >
      <div class="stack">
        <Loaded of={methods}>
          {({ data }) => <Quote {...{ words, wanted, onClose, onOrdered }} methods={data} />}
        </Loaded>
      </div>
    </Dialog>
  );
}

function Quote({
  words,
  wanted,
  methods,
  onClose,
  onOrdered,
}: OfferProps & { methods: readonly PaymentMethod[] }) {
  const ways = [...waysOf(methods), ...(account.value?.wallet ? [walletWay] : [])];
  const [way, setWay] = useState(ways[0]);
  const path = withQuery("/api/v1/plans/quote", {
    ...wanted,
    channel: way?.channel,
    currency: way?.method.currency,
  });
  const quote = useRead<"quote_plan">(path);
  const { run, isRunning, problem } = useAction();
  const key = useWriteKey();
  if (!way) return <NoWays words={words.orders} />;
  const { value } = quote;
  const left = way === walletWay ? account.value?.wallet?.balance_points : undefined;
  const lacks = value !== undefined && left !== undefined && !isEnough(left, value.pay);
  const order = async () => {
    const body = { ...wanted, channel: way.channel, currency: way.method.currency, deal: value?.deal };
    const idempotencyKey = key.of(JSON.stringify(body));
    const made = await run(() =>
      api.post<"create_plan_order">("/api/v1/plan-orders", body, { idempotencyKey }),
    );
    // What the wallet and the plan are by now, the price or the balance may be the reason of a refusal.
    if (way === walletWay) await readAccount().catch(() => undefined);
    if (made) onOrdered(made.id);
    else quote.reload();
  };
  return (
    <>
      <PayBy words={words.orders} ways={ways} value={way} onValue={setWay} />
      <Loaded of={quote}>{(shown) => <Sum words={words} quote={shown} balance={left} />}</Loaded>
      {lacks && (
        <Note look="warn">
          {words.lacks} <ButtonLink href={rechargePage.path}>{words.recharge}</ButtonLink>
        </Note>
      )}
      <ProblemNote problem={problem} />
      <div class="row end">
        <Button onPress={onClose}>{frameWords.value.cancel}</Button>
        {value && !quote.problem && !lacks && (
          <Button look="main" isBusy={isRunning} onPress={order}>
            {words.payNow(money(value.pay, value.currency))}
          </Button>
        )}
      </div>
    </>
  );
}

/** The price, what is taken off, and what is left; of points also what the wallet has. */
function Sum({ words, quote, balance }: { words: Words; quote: PlanQuote; balance: string | undefined }) {
  const { action, pay, credit, currency, from, until } = quote;
  const hasCredit = /[1-9]/.test(credit);
  const rows = [
    [words.from, minute(from)],
    [words.to, minute(until)],
    ...(hasCredit
      ? [
          [words.price, money(total(pay, credit), currency)],
          [words.credit, `− ${money(credit, currency)}`],
        ]
      : []),
    ...(balance === undefined ? [] : [[words.balance, money(balance, currency)]]),
  ];
  return (
    <>
      <p>{words.actions[action]}</p>
      <dl class="sum">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="number">{value}</dd>
          </div>
        ))}
        <div class="total">
          <dt>{words.pay}</dt>
          <dd class="number">{money(pay, currency)}</dd>
        </div>
      </dl>
    </>
  );
}
