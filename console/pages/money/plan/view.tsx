/** Plans: what each gives, and the order of one. */
import { useState } from "preact/hooks";
import type { Plan, PlanPeriod } from "../../../api-types.ts";
import { count, day, money, planName, shortCount } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { Choice } from "../../../parts/field.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { account, may } from "../../../session.ts";
import { frameWords } from "../../../words.ts";
import { PayDialog } from "../orders/pay.tsx";
import { Offer, type WantedPlan } from "./plan-offer.tsx";

type Words = typeof import("./en.ts").words;
type Of = { words: Words };

const periods = ["monthly", "quarterly", "yearly"] as const;

export function Page({ words }: PageProps<Words>) {
  const plans = useRead<"list_plans">("/api/v1/plans");
  const [period, setPeriod] = useState<PlanPeriod>(account.value?.plan?.period ?? "monthly");
  const [wanted, setWanted] = useState<WantedPlan>();
  const [order, setOrder] = useState<string>();
  const close = () => {
    setWanted(undefined);
    setOrder(undefined);
  };
  return (
    <Sheet lead={words.lead}>
      <Section
        title={<Yours words={words} />}
        actions={
          <Choice
            isLabelHidden
            label={words.period}
            value={period}
            options={periods.map((value) => ({ value, name: words.orders.periods[value] }))}
            onValue={setPeriod}
          />
        }
      >
        <Loaded of={plans} lines={6}>
          {({ data }) => (
            <ul class="plans">
              {data.map((plan) => (
                <Card
                  key={plan.plan}
                  {...{ words, plan, period }}
                  deal={dealOf(plan, period, data)}
                  onChoose={() => setWanted({ plan: plan.plan, period })}
                />
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
      <Over words={words} />
      {wanted && !order && <Offer words={words} wanted={wanted} onClose={close} onOrdered={setOrder} />}
      {order && <PayDialog words={words.orders} id={order} onClose={close} onChange={() => undefined} />}
    </Sheet>
  );
}

function Yours({ words }: Of) {
  const plan = account.value?.plan;
  if (!plan) return null;
  const { next, ends_at } = plan;
  const nameOf = (of: WantedPlan) => `${planName(of.plan)} (${words.orders.periods[of.period]})`;
  const until = ends_at ? words.until(day(ends_at)) : words.noEnd;
  return (
    <>
      {words.yours}: {planName(plan.plan)}{" "}
      <small class="faint">
        {next && words.changes(day(next.from), nameOf(next))} {until}
      </small>
    </>
  );
}

interface Deal {
  name: "buy" | "renew" | "upgrade" | "change";
  /** The page proposes it: it gives more than what runs, or nothing gives more. */
  isMain: boolean;
}

const isFree = ({ price_points }: Plan, period: PlanPeriod) => !/[1-9]/.test(price_points[period]);

/** What an order of a plan would be beside the paid plan that runs (payments/plan-price.ts `quotePlan`). */
function dealOf(plan: Plan, period: PlanPeriod, all: readonly Plan[]): Deal {
  const paid = account.value?.plan;
  const running = all.find((each) => each.plan === paid?.plan);
  const isOver = paid?.ends_at && Date.parse(paid.ends_at) <= Date.now();
  if (!paid || !running || isOver || isFree(running, paid.period)) return { name: "buy", isMain: true };
  const isLarger = (other: Plan) => other.quota[period] > running.quota[period];
  if (plan === running) return { name: "renew", isMain: !all.some(isLarger) };
  const isMain = isLarger(plan);
  return { name: isMain && period === paid.period ? "upgrade" : "change", isMain };
}

/** The price in the first currency, and behind it in the others and in points. */
function Price({ words, plan, period }: Of & { plan: Plan; period: PlanPeriod }) {
  const prices = Object.entries(plan.prices).map(([currency, of]) => money(of[period], currency));
  const points = frameWords.value.pointsOf(count(Number(plan.price_points[period])));
  const [first, ...others] = [...prices, points];
  if (isFree(plan, period)) return <p class="amount">{words.free}</p>;
  return (
    <p>
      <span class="amount number">{first}</span>{" "}
      <span class="faint">
        {others.map((other) => `/ ${other} `)}
        {words.perPeriod[period]}
      </span>
    </p>
  );
}

function Card({
  words,
  plan,
  period,
  deal,
  onChoose,
}: Of & { plan: Plan; period: PlanPeriod; deal: Deal; onChoose: () => void }) {
  const isCurrent = account.value?.plan?.plan === plan.plan;
  const rate = (name: "rpm" | "tpm" | "tpd") => {
    const limit = plan[name];
    return words[name](limit === null ? words.unlimited : shortCount(limit));
  };
  const { call, day: most, above } = plan.list_points_max ?? {};
  const gives = [
    words.quota(count(plan.quota[period])),
    ...(["rpm", "tpm", "tpd"] as const).map(rate),
    plan.models.includes("*") ? words.allModels : words.someModels,
    ...(plan.cache ? [words.cache] : []),
    words.tools(Object.keys(plan.tools).join(", ") || words.none),
    ...(call ? [words.call(call), ...(above === "count" ? [words.several] : [])] : []),
    ...(most ? [words.day(most)] : []),
  ];
  return (
    <li class={`card plan${isCurrent ? " current" : ""}`}>
      <div class="row">
        <h3>{planName(plan.plan)}</h3>
        {isCurrent && <Badge look="good">{words.current}</Badge>}
      </div>
      <Price words={words} plan={plan} period={period} />
      <ul class="gives">
        {gives.map((text) => (
          <li key={text}>
            <Icon name="check" />
            {text}
          </li>
        ))}
      </ul>
      {!isFree(plan, period) && may("manage_billing") && (
        <Button look={deal.isMain ? "main" : "plain"} onPress={onChoose}>
          {words.deals[deal.name](planName(plan.plan))}
        </Button>
      )}
    </li>
  );
}

function Over({ words }: Of) {
  return (
    <Section title={words.over}>
      <Table
        caption={words.over}
        rows={words.codes}
        keyOf={([code]) => code}
        columns={[
          [words.code, ([code]) => <code>{code}</code>],
          [words.means, ([, means]) => means],
          [words.todo, ([, , todo]) => todo],
        ]}
      />
    </Section>
  );
}
