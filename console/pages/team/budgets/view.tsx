/** What an organization, its projects, members and end customers may spend, and what is used of it. */
import type { LevelBudget, Member } from "../../../api-types.ts";
import { points } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { LevelSheet } from "../../../parts/level-sheet.tsx";
import { Meter } from "../../../parts/meter.tsx";
import { api, may } from "../../../session.ts";
import { GiveBudget } from "./give-budget.tsx";

type Words = typeof import("./en.ts").words;

/** Only who manages members may read who they are. */
export function Page({ words }: PageProps<Words>) {
  return may("manage_members") ? <Managed words={words} /> : <Budgets words={words} members={[]} />;
}

function Managed({ words }: { words: Words }) {
  const { value } = useRead<"list_members">("/api/v1/members");
  return <Budgets words={words} members={value?.data ?? []} isManaged />;
}

interface BudgetsProps {
  words: Words;
  members: readonly Member[];
  isManaged?: boolean;
}

function Budgets({ words, members, isManaged = false }: BudgetsProps) {
  const budgets = useRead<"list_budgets">("/api/v1/budgets");
  return (
    <LevelSheet
      {...{ words, isManaged }}
      of={budgets}
      rowsOf={({ data }): readonly LevelBudget[] => data}
      named={members}
      columns={[
        [words.budget, (row) => `${points(row.budget_points)} ${words.periods[row.budget_period]}`],
        [words.used, (row) => <Used words={words} budget={row} />],
      ]}
      form={(budget, onClose) => (
        <GiveBudget {...{ words, members, budget, onClose }} onDone={budgets.reload} />
      )}
      take={async ({ level, id }) => {
        const body = { level, budget_points: null, ...(id !== null && { id }) };
        await api.patch<"change_budget">("/api/v1/budgets", body);
        budgets.reload();
      }}
    />
  );
}

function Used({ words, budget: { level, used, budget_points } }: { words: Words; budget: LevelBudget }) {
  if (level === "customer") return <span class="faint">{words.perCustomer}</span>;
  return (
    <div class="meters">
      {used.map(({ billing_mode, left_points }) => (
        <Meter
          key={billing_mode}
          label={words.modes[billing_mode]}
          used={Number(budget_points) - Number(left_points)}
          limit={Number(budget_points)}
          text={words.left(points(left_points))}
        />
      ))}
    </div>
  );
}
