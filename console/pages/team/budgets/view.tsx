/** What an organization, its projects, members and end customers may spend, and what is used of it. */
import { useState } from "preact/hooks";
import type { LevelBudget, Member } from "../../../api-types.ts";
import { points } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Meter } from "../../../parts/meter.tsx";
import { Empty } from "../../../parts/note.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table, type TableColumn } from "../../../parts/table.tsx";
import { api, may } from "../../../session.ts";
import { GiveBudget } from "./give-budget.tsx";

type Words = typeof import("./en.ts").words;

type OpenDialog = { what: "give"; budget?: LevelBudget } | { what: "take"; budget: LevelBudget };

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
  const [asked, setAsked] = useState<OpenDialog>();
  const close = () => setAsked(undefined);
  const nameOf = ({ level, id }: LevelBudget): string => {
    const name = members.find((member) => member.id === id)?.name || id;
    return name ? `${words.levels[level]} ${name}` : words.levels[level];
  };
  const give = isManaged && (
    <Button look="main" icon="plus" onPress={() => setAsked({ what: "give" })}>
      {words.give}
    </Button>
  );
  return (
    <Sheet lead={words.lead} actions={give}>
      <Loaded of={budgets} lines={4}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={words.noBudgets}>{words.noBudgetsLead}</Empty>
          ) : (
            <Table
              caption={pageTitle()}
              rows={data}
              keyOf={({ level, id }) => `${level} ${id}`}
              columns={[
                [words.whose, (row) => nameOf(row)],
                [words.budget, (row) => `${points(row.budget_points)} ${words.periods[row.budget_period]}`],
                [words.used, (row) => <Used words={words} budget={row} />],
                ...(isManaged ? [changes(words, nameOf, setAsked)] : []),
              ]}
            />
          )
        }
      </Loaded>
      {asked?.what === "give" && (
        <GiveBudget
          words={words}
          members={members}
          budget={asked.budget}
          onClose={close}
          onDone={budgets.reload}
        />
      )}
      {asked?.what === "take" && (
        <Confirm
          title={words.takeOf(nameOf(asked.budget))}
          action={words.takeAway}
          onClose={close}
          act={async () => {
            const { level, id } = asked.budget;
            const body = { level, budget_points: null, ...(id !== null && { id }) };
            await api.patch<"change_budget">("/api/v1/budgets", body);
            budgets.reload();
          }}
        >
          {words.takeLead}
        </Confirm>
      )}
    </Sheet>
  );
}

function changes(
  words: Words,
  nameOf: (row: LevelBudget) => string,
  onAsk: (asked: OpenDialog) => void,
): TableColumn<LevelBudget> {
  return [
    words.editBudget,
    (budget) => (
      <div class="row end">
        <Button isSmall label={words.editOf(nameOf(budget))} onPress={() => onAsk({ what: "give", budget })}>
          {words.editBudget}
        </Button>
        <Button isSmall label={words.takeOf(nameOf(budget))} onPress={() => onAsk({ what: "take", budget })}>
          {words.takeAway}
        </Button>
      </div>
    ),
  ];
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
