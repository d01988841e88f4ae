/** Orders in review. With an id behind its path, the page is that order's own, in whatever state. */

import { useState } from "preact/hooks";
import type { OperatedOrder } from "../../../api-types.ts";
import { minute, money, points } from "../../../format.ts";
import { listAndOne, type OneProps } from "../../../operators/list-and-one.tsx";
import { Needs } from "../../../operators/needs.tsx";
import { CustomerLink, OrderRows, State } from "../../../operators/rows.tsx";
import { nextPage, useOperatorRead } from "../../../operators/signed-in.ts";
import { Told } from "../../../operators/told.tsx";
import { operatorWords } from "../../../operators/words.ts";
import { WriteDialog } from "../../../operators/write-dialog.tsx";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Choice } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty, Note } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { pageTitle, Section, Sheet } from "../../../parts/sheet.tsx";
import { page } from "./page.ts";

type Words = typeof import("./en.ts").words;
type Decision = keyof Words["decisions"];

export const Page = listAndOne<Words>(page.path, Reviews, OneOrder);

function Reviews({ words }: { words: Words }) {
  const path = "/api/admin/v1/orders/in-review";
  const orders = useOperatorRead<"list_reviews">(path);
  return (
    <Sheet
      lead={`${words.lead} ${words.limited}`}
      actions={<Button onPress={orders.reload}>{operatorWords.value.read}</Button>}
    >
      <Paged
        of={orders}
        path={path}
        read={nextPage}
        empty={<Empty title={words.none}>{words.noneLead}</Empty>}
      >
        {(rows) => <OrderRows caption={pageTitle()} rows={rows} />}
      </Paged>
    </Sheet>
  );
}

function OneOrder({ words, id, back }: OneProps<Words>) {
  const path = `/api/admin/v1/orders/${encodeURIComponent(id)}` as const;
  const order = useOperatorRead<"show_order">(path);
  const [isAsked, setAsked] = useState(false);
  const [done, setDone] = useState<OperatedOrder>();
  const shared = operatorWords.value;
  return (
    <Sheet
      title={shared.order}
      lead={<code>{id}</code>}
      actions={
        <>
          <ButtonLink href={back}>{shared.back}</ButtonLink>
          {order.value?.state === "review" && (
            <Needs scope="finance" act={words.decide}>
              <Button look="main" onPress={() => setAsked(true)}>
                {words.decide}
              </Button>
            </Needs>
          )}
        </>
      }
    >
      <Told>{done && <Note look="good">{words.done(shared.states[done.state] ?? done.state)}</Note>}</Told>
      <Loaded of={order}>{(whole) => <OrderFacts words={words} of={whole} />}</Loaded>
      {isAsked && (
        <Decide
          words={words}
          path={`${path}/review`}
          onClose={() => setAsked(false)}
          onDone={(decided) => {
            setDone(decided);
            order.reload();
          }}
        />
      )}
    </Sheet>
  );
}

function OrderFacts({ words, of }: { words: Words; of: OperatedOrder }) {
  const shared = operatorWords.value;
  const { currency, payment, doubt, paid, refundable, booked_as } = of;
  return (
    <>
      <FactList
        facts={[
          [shared.customer, <CustomerLink key="customer" id={of.organization} />],
          [shared.state, <State key="state" of={of.state} />],
          [shared.kind, shared.things[of.kind] ?? of.kind],
          [shared.payer, shared.channels[of.channel] ?? of.channel],
          [shared.amount, money(of.amount, currency)],
          [words.points, shared.pointsOf(points(of.points))],
          [words.paid, paid && money(paid, currency)],
          [words.booked, booked_as],
          [words.refundable, refundable && money(refundable, currency)],
          [words.payment, payment && <code key="payment">{payment.transaction}</code>],
          [shared.since, minute(of.created_at)],
        ]}
      />
      {doubt && (
        <Section title={words.doubt}>
          <FactList
            facts={[
              [words.differs, doubt.fields],
              [
                words.seen,
                doubt.amount_minor !== null &&
                  words.minor(String(doubt.amount_minor), doubt.currency ?? currency),
              ],
              [
                words.back,
                doubt.refunded_minor !== null &&
                  words.minor(String(doubt.refunded_minor), doubt.currency ?? currency),
              ],
              [words.payment, doubt.transaction && <code key="doubt">{doubt.transaction}</code>],
              [words.at, minute(doubt.at)],
            ]}
          />
        </Section>
      )}
    </>
  );
}

interface DecideProps {
  words: Words;
  path: `/api/admin/v1/orders/${string}/review`;
  onClose: () => void;
  onDone: (order: OperatedOrder) => void;
}

function Decide({ words, path, onClose, onDone }: DecideProps) {
  const [decision, setDecision] = useState<Decision>("credit");
  const all = Object.keys(words.decisions) as Decision[];
  return (
    <WriteDialog<"review_order">
      title={words.decide}
      action={words.decisions[decision]}
      path={path}
      body={(reason) => ({ decision, reason })}
      onClose={onClose}
      onDone={onDone}
      fields={() => (
        <Choice
          label={words.decision}
          value={decision}
          options={all.map((value) => ({
            value,
            name: words.decisions[value],
            about: words.abouts[value],
          }))}
          onValue={setDecision}
        />
      )}
    />
  );
}
