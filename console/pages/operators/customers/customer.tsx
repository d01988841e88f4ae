/** One customer: balance and plan, what they have, and what may be done for them. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AdminAnswer } from "../../../../shared/edges/openapi/route-types.ts";
import type { OperatedOrganization } from "../../../api-types.ts";
import { day, minute, money, planName, points } from "../../../format.ts";
import type { OneProps } from "../../../operators/list-and-one.tsx";
import { Needs } from "../../../operators/needs.tsx";
import { State } from "../../../operators/rows.tsx";
import { useOperatorRead } from "../../../operators/signed-in.ts";
import { Told } from "../../../operators/told.tsx";
import { operatorWords } from "../../../operators/words.ts";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Note } from "../../../parts/note.tsx";
import { Points } from "../../../parts/points.tsx";
import { Sheet } from "../../../parts/sheet.tsx";
import { page as proposalsPage } from "../proposals/page.ts";
import { CreditDialog } from "./credit-dialog.tsx";
import { CustomerParts } from "./customer-parts.tsx";

type Words = typeof import("./en.ts").words;

export function Customer({ words, id, back }: OneProps<Words>) {
  const path = `/api/admin/v1/organizations/${encodeURIComponent(id)}` as const;
  const customer = useOperatorRead<"show_organization">(path);
  const [isCrediting, setCrediting] = useState(false);
  const [done, setDone] = useState<AdminAnswer<"credit_organization">>();
  const name = customer.value?.name || id;
  return (
    <Sheet
      title={name}
      lead={<code>{id}</code>}
      actions={
        <>
          <ButtonLink href={back}>{operatorWords.value.back}</ButtonLink>
          {customer.value?.wallet && (
            <Needs scope="finance" act={words.credit}>
              <Button look="main" icon="plus" onPress={() => setCrediting(true)}>
                {words.credit}
              </Button>
            </Needs>
          )}
        </>
      }
    >
      <Told>{done && <Credited words={words} of={done} />}</Told>
      <Loaded of={customer}>
        {(whole) => (
          <>
            <Facts words={words} of={whole} />
            <CustomerParts words={words} of={path} />
          </>
        )}
      </Loaded>
      {isCrediting && (
        <CreditDialog
          words={words}
          customer={{ path, name }}
          onClose={() => setCrediting(false)}
          onDone={(answer) => {
            setDone(answer);
            customer.reload();
          }}
        />
      )}
    </Sheet>
  );
}

function Facts({ words, of }: { words: Words; of: OperatedOrganization }) {
  const { subscription, wallet, permissions, refundable = [] } = of;
  const shared = operatorWords.value;
  const plan: ComponentChildren = subscription
    ? words.planOf(
        planName(subscription.plan),
        subscription.period,
        subscription.ends_at ? day(subscription.ends_at) : words.openEnd,
      )
    : words.noPlan;
  return (
    <FactList
      facts={[
        [shared.state, <State key="state" of={of.status} />],
        [words.balance, wallet ? <Points of={wallet.balance_points} /> : words.noWallet],
        [words.plan, plan],
        [words.since, subscription && day(subscription.started_at)],
        [words.permissions, permissions.join(", ")],
        [
          words.refundable,
          refundable.length > 0 &&
            refundable.map(({ order, refundable: amount, currency }) => (
              <div key={order}>
                {money(amount, currency)} <code class="faint">{order}</code>
              </div>
            )),
        ],
      ]}
    />
  );
}

/** What became of a credit: it is booked, or it waits for another person. */
function Credited({ words, of }: { words: Words; of: AdminAnswer<"credit_organization"> }) {
  if ("proposed_by" in of)
    return (
      <Note look="warn">
        <p>{words.proposed(points(of.points), minute(of.ends_at))}</p>
        <a href={`${proposalsPage.path}/${of.id}`}>{words.toProposal}</a>
      </Note>
    );
  const { credit } = of;
  return (
    <Note look={credit.booked ? "good" : "info"}>
      {credit.booked
        ? words.booked(points(credit.points), credit.reference)
        : words.bookedBefore(credit.reference)}
    </Note>
  );
}
