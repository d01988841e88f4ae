/** Automatic top-up (shared/people/payments/auto-top-up.md): its state, its card, and why it pauses. */
import { useState } from "preact/hooks";
import type { PaymentMethod, TopUpSettings } from "../../../api-types.ts";
import { minute, money, step } from "../../../format.ts";
import { useAction, useRead } from "../../../load.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Note, ProblemNote } from "../../../parts/note.tsx";
import { Section } from "../../../parts/sheet.tsx";
import { setQuery } from "../../../router.ts";
import { api } from "../../../session.ts";
import { brandName, lateOrder } from "../../../top-up-form.ts";
import { TopUpTermsForm } from "./top-up-terms.tsx";

type Words = typeof import("./en.ts").words;
type Of = { words: Words; read: TopUpSettings };

const path = "/api/v1/auto-top-up";
const cardPath = "/api/v1/auto-top-up/card";
/** While an order may still be charged, the page asks as often. */
const askMs = 5_000;

const looks = { off: "plain", on: "good", paused: "warn" } as const;

export function TopUp({ words, methods }: { words: Words; methods: readonly PaymentMethod[] }) {
  const topUp = useRead<"show_auto_top_up">(path, { everyMs: askMs, until: (read) => !lateOrder(read) });
  const [isRemoving, setRemoving] = useState(false);
  const close = () => {
    setRemoving(false);
    // A removal that failed has begun all the same.
    topUp.reload();
  };
  return (
    <Section title={words.topUp} lead={words.topUpLead}>
      <Loaded of={topUp} lines={4}>
        {(read) => (
          <div class="stack">
            <Notes words={words} read={read} />
            <Facts words={words} read={read} />
            {read.card ? (
              <div class="row">
                <Button onPress={() => setRemoving(true)}>{words.topUpRemove}</Button>
              </div>
            ) : (
              <AddCard words={words} />
            )}
            {read.card && !read.card.removing && (
              <TopUpTermsForm
                {...{ words, read, methods }}
                card={cardName(words, read.card)}
                onChange={topUp.reload}
              />
            )}
          </div>
        )}
      </Loaded>
      {isRemoving && (
        <Confirm
          title={words.topUpRemove}
          action={words.topUpRemove}
          onClose={close}
          act={() => api.remove<"remove_card">(cardPath)}
        >
          {words.topUpRemoveLead}
        </Confirm>
      )}
    </Section>
  );
}

function cardName(words: Words, { brand, last_four }: NonNullable<TopUpSettings["card"]>): string {
  return words.topUpCardEnds(brandName(brand) ?? words.topUpAnyCard, last_four);
}

function Facts({ words, read }: Of) {
  const { state, card, currency, month, month_used, month_max } = read;
  const isBounded = currency && month_used && month_max;
  return (
    <FactList
      facts={[
        [words.topUpState, <Badge look={looks[state]}>{words.topUpStates[state]}</Badge>],
        [words.topUpCard, card && words.topUpCardUntil(cardName(words, card), step(card.expires, "month"))],
        [
          words.topUpUsed(step(month, "month")),
          isBounded && words.topUpUsedOf(money(month_used, currency), money(month_max, currency)),
        ],
      ]}
    />
  );
}

/** What people should know or do. */
function Notes({ words, read }: Of) {
  const { state, card, paused, not_before } = read;
  const late = lateOrder(read);
  return (
    <>
      {state === "paused" && paused && (
        <Note look="warn">
          <strong>{words.topUpPaused(minute(paused.at))}</strong>
          <p>{words.topUpWhy[paused.reason] ?? words.topUpDeclined(paused.reason)}</p>
          <OrderButton words={words} id={paused.order} />
        </Note>
      )}
      {state === "on" && not_before && Date.parse(not_before) > Date.now() && (
        <Note look="warn">{words.topUpRetry(minute(not_before))}</Note>
      )}
      {late && (
        <Note look="warn">
          <p>{words.topUpLate(late)}</p>
          <OrderButton words={words} id={late} />
        </Note>
      )}
      {card?.removing && <Note look="warn">{words.topUpRemoving}</Note>}
    </>
  );
}

function OrderButton({ words, id }: { words: Words; id: string }) {
  return (
    <Button isSmall label={words.showOf(id)} onPress={() => setQuery({ order: id })}>
      {words.show}
    </Button>
  );
}

/** The browser goes to Stripe's page, which leads back here. */
function AddCard({ words }: { words: Words }) {
  const { run, isRunning, problem } = useAction();
  const add = () =>
    void run(async () => {
      const { url } = await api.post<"open_card_page">(cardPath, {});
      location.assign(url);
    });
  return (
    <>
      <p class="faint">{words.topUpAddLead}</p>
      <ProblemNote problem={problem} />
      <div class="row">
        <Button isBusy={isRunning} onPress={add}>
          {words.topUpAdd}
        </Button>
      </div>
    </>
  );
}
