/** What a key may spend and do, in the dialogs that make one and change one. */
import { type ChangedExpiry, type KeyForm, type NumberField, rateFields } from "../../../key-form.ts";
import { Field, fieldsOf, Select } from "../../../parts/field.tsx";
import { frameWords } from "../../../words.ts";
import { DefaultFields } from "./key-defaults.tsx";
import { ProjectSelect } from "./project-select.tsx";

type Words = typeof import("./en.ts").words;

interface KeyBoundsProps {
  words: Words;
  form: KeyForm;
  wrong: Set<keyof KeyForm>;
  set: (change: Partial<KeyForm>) => void;
  /** The ends that can be chosen. */
  expiries: readonly ChangedExpiry[];
}

export function KeyBounds({ words, form, wrong, set, expiries }: KeyBoundsProps) {
  const ends = expiries.map((each) => [each, words.expiries[each]] as const);
  const periods = (["none", "day", "month", "total"] as const).map(
    (each) => [each, words.budgetPeriods[each]] as const,
  );
  const isPlan = form.mode === "subscription";
  const field = fieldsOf(form, set);
  const number = (name: NumberField) => (
    <Field
      key={name}
      label={words[name]}
      isOptional
      inputMode="numeric"
      autocomplete="off"
      {...field(name)}
      wrong={wrong.has(name) && words.wholeNumber}
    />
  );
  return (
    <>
      <div class="pair">
        <Select
          label={words.budgetPeriod}
          value={form.budgetPeriod}
          options={periods}
          onValue={(budgetPeriod) => set({ budgetPeriod })}
        />
        {form.budgetPeriod !== "none" && (
          <Field
            label={words.budget}
            after={frameWords.value.points}
            inputMode="decimal"
            autocomplete="off"
            {...field("budget")}
            wrong={wrong.has("budget") && words.decimal}
          />
        )}
        <Select label={words.expiry} options={ends} {...field("expiry")} />
      </div>
      {form.budgetPeriod !== "none" && <p class="hint">{words.budgetHint}</p>}
      <details class="figures">
        <summary>{words.more}</summary>
        <div class="stack">
          <ProjectSelect words={words} {...field("project")} />
          <div class="pair">{["concurrency" as const, ...(isPlan ? rateFields : [])].map(number)}</div>
          {isPlan && <p class="hint">{words.moreHint}</p>}
          <DefaultFields words={words} choices={form.defaults} onChoices={(defaults) => set({ defaults })} />
        </div>
      </details>
    </>
  );
}
