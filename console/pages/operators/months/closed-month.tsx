/** One closed month: what its accounts came to, and what was checked before. */
import type { ClosedMonth as Closed } from "../../../api-types.ts";
import { allPoints, count, minute } from "../../../format.ts";
import type { OneProps } from "../../../operators/list-and-one.tsx";
import { useOperatorRead } from "../../../operators/signed-in.ts";
import { operatorWords } from "../../../operators/words.ts";
import { Badge } from "../../../parts/badge.tsx";
import { ButtonLink } from "../../../parts/button.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";

type Words = typeof import("./en.ts").words;

interface OfMonthProps {
  words: Words;
  of: Closed;
}

/** The names of checks, with commas between. */
export function checksOf(words: Words, names: string | null): string {
  return (names ?? "")
    .split(" ")
    .map((name) => words.checkNames[name] ?? name)
    .join(", ");
}

export function ClosedMonth({ words, id: month, back }: OneProps<Words>) {
  const closed = useOperatorRead<"show_month">(`/api/admin/v1/months/${encodeURIComponent(month)}`);
  return (
    <Sheet
      title={month}
      lead={words.compare}
      actions={<ButtonLink href={back}>{operatorWords.value.back}</ButtonLink>}
    >
      <Loaded of={closed}>
        {(of) => (
          <>
            <MonthFacts words={words} of={of} />
            <Section title={words.accounts} lead={words.accountsLead}>
              <Accounts words={words} of={of} />
            </Section>
            {of.late.length > 0 && (
              <Section title={words.late}>
                <Table
                  caption={words.late}
                  rows={of.late}
                  keyOf={({ month: late }) => late}
                  columns={[
                    [words.month, ({ month: late }) => late],
                    [words.entries, ({ entries }) => count(entries), "number"],
                  ]}
                />
              </Section>
            )}
            <Section title={words.margin} lead={words.marginLead}>
              <MarginFacts words={words} of={of} />
            </Section>
            <Section title={words.checks}>
              <Checks words={words} of={of} />
            </Section>
          </>
        )}
      </Loaded>
    </Sheet>
  );
}

function MonthFacts({ words, of }: OfMonthProps) {
  return (
    <FactList
      facts={[
        [words.at, minute(of.closed_at)],
        [words.by, of.closed_by],
        [words.until, minute(of.counts_until)],
        [words.reason, of.reason],
        [words.previous, of.previous?.month],
        [words.hash, <code key="hash">{of.sha256}</code>],
        [words.key, <code key="key">{of.public_key}</code>],
      ]}
    />
  );
}

function Accounts({ words, of }: OfMonthProps) {
  const amount = (points: string | null) => (points === null ? "–" : allPoints(points));
  return (
    <Table
      caption={words.accounts}
      rows={of.accounts}
      keyOf={({ account }) => account}
      columns={[
        [words.account, ({ account }) => words.names[account] ?? <code>{account}</code>],
        [words.opening, ({ opening }) => amount(opening), "number wide"],
        [words.debit, ({ debit }) => amount(debit), "number"],
        [words.credit, ({ credit }) => amount(credit), "number"],
        [words.closing, ({ closing }) => amount(closing), "number wide"],
      ]}
    />
  );
}

function MarginFacts({ words, of: { margin, currency } }: OfMonthProps) {
  const amount = (text: string | null) => text !== null && `${allPoints(text)} ${currency?.code ?? ""}`;
  return (
    <FactList
      facts={[
        [words.calls, count(margin.calls)],
        [words.revenue, allPoints(margin.revenue)],
        [words.cost, currency && amount(margin.house_cost)],
        [words.left, currency && amount(margin.margin)],
        [words.leftOfPlans, currency && amount(margin.plan_margin)],
        [words.unknown, margin.unknown_cost_calls > 0 && count(margin.unknown_cost_calls)],
      ]}
    />
  );
}

function Checks({ words, of }: OfMonthProps) {
  return (
    <Table
      caption={words.checks}
      rows={of.checks}
      keyOf={({ name }) => name}
      columns={[
        [words.check, ({ name }) => words.checkNames[name] ?? name],
        [
          words.outcome,
          ({ holds }) => <Badge look={holds ? "good" : "warn"}>{holds ? words.holds : words.notHeld}</Badge>,
        ],
        [words.detail, ({ detail }) => detail, "wide"],
      ]}
    />
  );
}
