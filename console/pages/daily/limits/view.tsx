/** What is used of every limit, and when it is free again. Live while somebody looks. */
import type { KeyUse, Limits, LimitUse, PlanUse } from "../../../api-types.ts";
import { away, count, planName, points } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { ButtonLink } from "../../../parts/button.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Meter } from "../../../parts/meter.tsx";
import { Empty, Note } from "../../../parts/note.tsx";
import { Figure, Section, Sheet } from "../../../parts/sheet.tsx";
import { Table, type TableColumn } from "../../../parts/table.tsx";
import { page as keysPage } from "../keys/page.ts";

type Words = typeof import("./en.ts").words;

const liveMs = 5_000;

export function Page({ words }: PageProps<Words>) {
  const limits = useRead<"show_limits">("/api/v1/limits", { everyMs: liveMs });
  return (
    <Sheet lead={words.lead}>
      <Loaded of={limits} lines={8}>
        {(value) => (
          <>
            <Wallet words={words} limits={value} />
            {value.subscription && (
              <Plan words={words} plan={value.subscription} now={Date.parse(value.at)} />
            )}
            <Keys words={words} keys={value.keys} />
          </>
        )}
      </Loaded>
    </Sheet>
  );
}

function Wallet({ words, limits: { wallet, in_flight } }: { words: Words; limits: Limits }) {
  return (
    <Section title={wallet ? words.wallet : undefined} lead={wallet ? words.walletLead : undefined}>
      <dl class="figures-row">
        {wallet && (
          <>
            <Figure name={words.free}>{points(wallet.free_points)}</Figure>
            <Figure name={words.held}>{points(wallet.held_points)}</Figure>
            <Figure name={words.balance}>{points(wallet.balance_points)}</Figure>
          </>
        )}
        <Figure name={words.inFlight}>{count(in_flight)}</Figure>
      </dl>
    </Section>
  );
}

function Plan({ words, plan, now }: { words: Words; plan: PlanUse; now: number }) {
  const rates = (["rpm", "tpm", "tpd", "quota"] as const).flatMap((name) => {
    const use = plan[name];
    return use ? [{ name, use }] : [];
  });
  const { day_points } = plan;
  return (
    <Section title={words.plan(planName(plan.plan))} lead={words.planLead}>
      {rates.length === 0 && <Note look="warn">{words.notRunning}</Note>}
      <div class="card meters">
        {rates.map(({ name, use }) => (
          <Use key={name} words={words} label={words.rates[name]} use={use} now={now} />
        ))}
        {day_points && (
          <Meter
            label={words.dayPoints}
            used={Number(day_points.limit_points) - Number(day_points.left_points)}
            limit={Number(day_points.limit_points)}
            text={words.left(points(day_points.left_points), points(day_points.limit_points))}
            note={day_points.resets_at && words.resetsAt(away(day_points.resets_at, now))}
          />
        )}
      </div>
    </Section>
  );
}

function Use({ words, label, use, now }: { words: Words; label: string; use: LimitUse; now: number }) {
  const { used, limit, free_at, resets_at } = use;
  const note = free_at
    ? words.freeAt(away(free_at, now))
    : used > 0 && resets_at
      ? words.resetsAt(away(resets_at, now))
      : undefined;
  if (limit === null) {
    return (
      <div class="meter-head">
        <span>{label}</span>
        <span class="number">{words.noLimit(count(used))}</span>
      </div>
    );
  }
  return <Meter label={label} used={used} limit={limit} note={note} />;
}

function Keys({ words, keys }: { words: Words; keys: readonly KeyUse[] }) {
  const spentOf = ({ spent_points, limit_points, period }: NonNullable<KeyUse["budget"]>) =>
    `${words.of(points(spent_points), points(limit_points))} ${words.periods[period]}`;
  const used = (use: { used: number; limit: number | null } | undefined) =>
    use && use.limit !== null ? words.of(count(use.used), count(use.limit)) : "–";
  return (
    <Section title={words.keys}>
      {keys.length === 0 ? (
        <Empty
          title={words.noKeys}
          action={<ButtonLink href={`${keysPage.path}?new=1`}>{words.create}</ButtonLink>}
        >
          {words.noKeysLead}
        </Empty>
      ) : (
        <Table
          caption={words.keys}
          rows={keys}
          keyOf={({ id }) => id}
          columns={[
            [words.key, ({ name, last_four }) => `${name} …${last_four}`],
            ...(["rpm", "tpm", "tpd", "in_flight"] as const).map(
              (rate): TableColumn<KeyUse> => [words.keyRates[rate], (key) => used(key[rate]), "number wide"],
            ),
            [words.budget, ({ budget }) => (budget ? spentOf(budget) : "–"), "number"],
          ]}
        />
      )}
    </Section>
  );
}
