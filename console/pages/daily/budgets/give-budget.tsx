/** The dialog that gives a level a budget, or another one. */

import { useState } from "preact/hooks";
import type { BudgetPeriod, LevelBudget, Member } from "../../../api-types.ts";
import { callName } from "../../../contacts.ts";
import { isBudget } from "../../../key-form.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Choice, Field, Select } from "../../../parts/field.tsx";
import { api } from "../../../session.ts";
import { frameWords } from "../../../words.ts";

type Words = typeof import("./en.ts").words;
type Level = LevelBudget["level"];

interface GiveBudgetProps {
  words: Words;
  members: readonly Member[];
  /** The budget that is changed; without one a new one is given. */
  budget: LevelBudget | undefined;
  onClose: () => void;
  onDone: () => void;
}

/** Whose a budget is: one of several projects and members has an id. */
interface Holder {
  level: Level;
  project: string;
  member: string;
}

export function GiveBudget({ words, members, budget, onClose, onDone }: GiveBudgetProps) {
  const [holder, setHolder] = useState<Holder>({
    level: budget?.level ?? "organization",
    project: "",
    member: members[0]?.id ?? "",
  });
  const { level } = holder;
  const [amount, setAmount] = useState(budget?.budget_points ?? "");
  const [period, setPeriod] = useState<BudgetPeriod>(budget?.budget_period ?? "month");
  const [isWrong, setWrong] = useState(false);
  const periods = (["day", "month", "total"] as const).filter(
    (each) => level !== "customer" || each !== "total",
  );
  const give = async () => {
    setWrong(!isBudget(amount));
    if (!isBudget(amount)) return;
    const id = budget ? budget.id : idOf(holder);
    const budget_period = periods.includes(period) ? period : "month";
    const body = { level, ...(id !== null && { id }), budget_points: amount.trim(), budget_period };
    await api.patch<"change_budget">("/api/v1/budgets", body);
    onDone();
    onClose();
  };
  return (
    <Dialog title={budget ? words.editBudget : words.give} onClose={onClose}>
      <DialogForm action={frameWords.value.save} act={give} onClose={onClose}>
        {!budget && <Whose words={words} members={members} holder={holder} onHolder={setHolder} />}
        <div class="pair">
          <Field
            label={words.amount}
            after={frameWords.value.points}
            inputMode="decimal"
            autocomplete="off"
            value={amount}
            onValue={setAmount}
            wrong={isWrong && words.amountWrong}
          />
          <Select
            label={words.period}
            value={period}
            options={periods.map((each) => [each, words.periods[each]] as const)}
            onValue={setPeriod}
          />
        </div>
        <p class="hint">{words.amountHint}</p>
      </DialogForm>
    </Dialog>
  );
}

function idOf({ level, project, member }: Holder): string | null {
  if (level === "project") return project.trim();
  return level === "member" ? member : null;
}

interface WhoseProps extends Pick<GiveBudgetProps, "words" | "members"> {
  holder: Holder;
  onHolder: (holder: Holder) => void;
}

function Whose({ words, members, holder, onHolder }: WhoseProps) {
  const { level, project, member } = holder;
  return (
    <>
      <Choice<Level>
        label={words.whose}
        value={level}
        options={(Object.keys(words.levels) as Level[]).map((each) => ({
          value: each,
          name: words.levels[each],
          about: words.abouts[each],
        }))}
        onValue={(wanted) => onHolder({ ...holder, level: wanted })}
      />
      {level === "project" && (
        <Field
          label={words.project}
          hint={words.projectHint}
          value={project}
          onValue={(name) => onHolder({ ...holder, project: name })}
          maxLength={64}
        />
      )}
      {level === "member" && (
        <Select
          label={words.member}
          value={member}
          options={members.map((each) => [each.id, callName(each)] as const)}
          onValue={(id) => onHolder({ ...holder, member: id })}
        />
      )}
    </>
  );
}
