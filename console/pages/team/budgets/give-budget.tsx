/** The dialog that gives a level a budget, or another one. */

import { useState } from "preact/hooks";
import type { BudgetPeriod, LevelBudget, Member } from "../../../api-types.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Field, Select } from "../../../parts/field.tsx";
import { idOf, type LevelChoice, Whose } from "../../../parts/whose.tsx";
import { isPoints } from "../../../points-text.ts";
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

export function GiveBudget({ words, members, budget, onClose, onDone }: GiveBudgetProps) {
  const [holder, setHolder] = useState<LevelChoice<Level>>({
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
    setWrong(!isPoints(amount));
    if (!isPoints(amount)) return;
    const id = budget ? budget.id : idOf(holder);
    const budget_period = periods.includes(period) ? period : "month";
    const body = { level, ...(id !== null && { id }), budget_points: amount.trim(), budget_period };
    await api.patch<"change_budget">("/api/v1/budgets", body);
    onDone();
    onClose();
  };
  return (
    <Dialog title={budget ? words.change : words.give} onClose={onClose}>
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
