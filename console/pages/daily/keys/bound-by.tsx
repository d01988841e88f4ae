/** What binds a key's calls beside its own limits: budgets and policies of its levels, and its own policy. */
import { useState } from "preact/hooks";
import type { ApiKey, KeyBounds, LevelBudget } from "../../../api-types.ts";
import { minute, points } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { Meter } from "../../../parts/meter.tsx";
import { PolicyRules } from "../../../parts/policy-rules.tsx";

type Words = typeof import("./en.ts").words;
type OfKey = { words: Words; apiKey: ApiKey };

/** It is read when somebody opens it. */
export function BoundBy({ words, apiKey }: OfKey) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="figures" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.boundBy}</summary>
      {isOpen && <Bounds words={words} apiKey={apiKey} />}
    </details>
  );
}

function Bounds({ words, apiKey }: OfKey) {
  const { id, policy } = apiKey;
  const read = useRead<"show_key_bounds">(`/api/v1/keys/${encodeURIComponent(id)}/bounds`);
  return (
    <Loaded of={read} lines={2}>
      {({ budgets, policies }: KeyBounds) => {
        const all = [...(policy ? [{ level: "key" as const, policy }] : []), ...policies];
        if (budgets.length === 0 && all.length === 0) return <p class="faint">{words.boundByNothing}</p>;
        return (
          <div class="stack">
            {budgets.map((budget) => (
              <Budget key={budget.level} {...{ words, apiKey, budget }} />
            ))}
            {all.map(({ level, policy: own }) => (
              <div key={level}>
                <strong>{words.policyOf(words.levels[level])}</strong>
                <PolicyRules words={words} policy={own} />
              </div>
            ))}
          </div>
        );
      }}
    </Loaded>
  );
}

function Budget({ words, apiKey, budget }: OfKey & { budget: LevelBudget }) {
  const { level, budget_points, budget_period, used } = budget;
  const whole = `${points(budget_points)} ${words.periods[budget_period]}`;
  const account = level === "project" ? apiKey.project_id : level === "member" && apiKey.descends_from?.name;
  const label = account ? `${words.levels[level]} ${account}` : words.levels[level];
  const [use] = used;
  if (!use)
    return (
      <p>
        <strong>{label}</strong> {whole} <span class="faint">{words.perCustomer}</span>
      </p>
    );
  const { left_points, resets_at } = use;
  return (
    <Meter
      label={label}
      used={Number(budget_points) - Number(left_points)}
      limit={Number(budget_points)}
      text={words.leftOf(points(left_points), whole)}
      note={resets_at && words.resets(minute(resets_at))}
    />
  );
}
