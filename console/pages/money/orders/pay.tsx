/** The dialog of one order: what is to be paid and how, how long, and what has become of it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Order, OrderState } from "../../../api-types.ts";
import { money, planName, points } from "../../../format.ts";
import { useAction, useRead } from "../../../load.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Note, ProblemNote } from "../../../parts/note.tsx";
import { Qr } from "../../../parts/qr.tsx";
import { api, may, readAccount } from "../../../session.ts";
import { frameWords } from "../../../words.ts";

export type OrderWords = typeof import("./en.ts").words;

/** While the page looks, the server asks the platform as often. */
const askMs = 3_000;

/** Nothing more happens to an order in these by itself. */
const isSettled = ({ state }: Order) => /^(?:credited|(?:partly_)?refunded)$/.test(state);
/** It can be paid. */
const isOpen = ({ state }: Order) => state === "created" || state === "pending";
/** Asking its platform may change it. */
export const canAsk = ({ state }: Order) => /^(?:clos|paid|review)/.test(state);

const looks: Partial<Record<OrderState, "good" | "warn">> = {
  credited: "good",
  paid: "good",
  created: "warn",
  pending: "warn",
  review: "warn",
};

export function StateBadge({ words, state }: { words: OrderWords; state: OrderState }) {
  return <Badge look={looks[state] ?? "plain"}>{words.states[state]}</Badge>;
}

/** What an order is of. */
export function nameOf({ plan, points: worth, credited_points }: Order, words: OrderWords): string {
  return plan
    ? words.plan(planName(plan.plan), words.periods[plan.period])
    : words.recharge(points(credited_points ?? worth));
}

/** What was paid, or is to be paid. */
export const amountOf = ({ paid, amount, currency }: Order) => money(paid ?? amount, currency);
/** What was ordered, where another amount was paid. */
export const insteadOf = ({ paid, amount, currency }: Order, words: OrderWords) =>
  paid && paid !== amount ? words.insteadOf(money(amount, currency)) : undefined;

interface PayProps {
  words: OrderWords;
  id: string;
  onClose: () => void;
  /** It came into another state. */
  onChange: () => void;
}

export function PayDialog({ words, id, onClose, onChange }: PayProps) {
  const path = `/api/v1/recharges/${encodeURIComponent(id)}` as const;
  const order = useRead<"show_recharge">(path, { everyMs: askMs, until: isSettled });
  const state = order.value?.state;
  const before = useRef(state);
  useEffect(() => {
    if (before.current && state !== before.current) onChange();
    // The balance and the plan stand on other pages too.
    if (before.current && state === "credited") readAccount().catch(() => undefined);
    before.current = state;
  }, [state]);
  return (
    <Dialog title={order.value ? words.dialog(nameOf(order.value, words)) : words.order} onClose={onClose}>
      <div class="stack">
        <Loaded of={order}>
          {(value) => (
            <>
              <Amount words={words} order={value} />
              {isOpen(value) && <ToPay words={words} order={value} />}
              <p class="unseen" aria-live="polite">
                {words.states[value.state]}
              </p>
              <About words={words} order={value} />
              <Refundable words={words} order={value} />
              <Actions words={words} order={value} onClose={onClose} onAsk={order.reload} />
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

type Of = { words: OrderWords; order: Order };

function Amount({ words, order }: Of) {
  return (
    <div class="row">
      <span>
        <strong class="amount number">{amountOf(order)}</strong>{" "}
        <span class="faint">{insteadOf(order, words)}</span>
      </span>
      <StateBadge words={words} state={order.state} />
    </div>
  );
}

function About({ words, order }: Of) {
  const { state, plan, booked_as } = order;
  if (state !== "credited")
    return state === "review" || state === "closed" ? (
      <Note look="warn">{order.review === "paid_back" ? words.paidBack : words.abouts[state]}</Note>
    ) : (
      <p class="faint">{words.abouts[state]}</p>
    );
  const worth = points(order.credited_points ?? order.points);
  const isInstead = plan && booked_as === "points";
  const got = plan ? words.gotPlan(planName(plan.plan)) : words.gotPoints(worth);
  return <Note look="good">{isInstead ? words.gotInstead(worth) : got}</Note>;
}

function Refundable({ words, order: { refundable, currency } }: Of) {
  return refundable && /[1-9]/.test(refundable) ? (
    <p class="faint">{words.refundable(money(refundable, currency))}</p>
  ) : null;
}

function ToPay({ words, order }: Of) {
  const { qr_code, pay_url, channel, expires_at } = order;
  const left = useLeft(expires_at);
  if (!qr_code && !pay_url) return null;
  return (
    <div class="to-pay">
      {qr_code && (
        <>
          <Qr text={qr_code} label={words.qrLabel} />
          <p>{words.scan(words.channels[channel])}</p>
          {/^https?:/.test(qr_code) && (
            <a href={qr_code} target="_blank" rel="noopener noreferrer">
              {words.openHere}
            </a>
          )}
        </>
      )}
      {pay_url && (
        <a class="button main" href={pay_url} target="_blank" rel="noopener noreferrer">
          {words.openPage}
        </a>
      )}
      <p class="faint number" role="timer">
        {words.timeLeft(left)}
      </p>
    </div>
  );
}

/** The time until an instant as `14:05`, each second. */
function useLeft(until: string): string {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((Date.parse(until) - now) / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function Actions({ words, order, onClose, onAsk }: Of & Pick<PayProps, "onClose"> & { onAsk: () => void }) {
  const { run, isRunning, problem } = useAction();
  const close = async () => {
    await run(() =>
      api.post<"close_recharge">(`/api/v1/recharges/${encodeURIComponent(order.id)}/close`, {}),
    );
    onAsk();
  };
  return (
    <>
      <ProblemNote problem={problem} />
      <div class="row end">
        {isOpen(order) && may("manage_billing") && (
          <Button look="quiet" isBusy={isRunning} onPress={close}>
            {words.closeOrder}
          </Button>
        )}
        {canAsk(order) && <Button onPress={onAsk}>{words.askAgain}</Button>}
        <Button look={isSettled(order) ? "main" : "plain"} onPress={onClose}>
          {isSettled(order) ? words.done : frameWords.value.close}
        </Button>
      </div>
    </>
  );
}
