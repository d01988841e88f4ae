/** Fields of forms: each with its label, a hint, and what is wrong with it. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { frameWords } from "../words.ts";

interface Around {
  label: string;
  hint?: ComponentChildren;
  /** What is wrong with the value. */
  wrong?: string | false;
  isOptional?: boolean;
}

interface SurroundProps extends Around {
  id: string;
  children: ComponentChildren;
}

function Surround({ id, label, hint, wrong, isOptional, children }: SurroundProps) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <span class="faint"> · {frameWords.value.optional}</span>}
      </label>
      {children}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <p class="wrong" id={`${id}-wrong`} aria-live="polite">
        {wrong}
      </p>
    </div>
  );
}

const describedBy = (id: string, { hint, wrong }: Around): string | undefined =>
  [hint && `${id}-hint`, wrong && `${id}-wrong`].filter(Boolean).join(" ") || undefined;

interface FieldProps extends Around {
  value: string;
  onValue: (value: string) => void;
  /** Stands before the value, such as `+86`. */
  before?: ComponentChildren;
  /** Stands behind it, such as a unit. */
  after?: ComponentChildren;
  type?: string;
  /** The keyboard of a phone. */
  inputMode?: "text" | "numeric" | "decimal" | "tel" | "email";
  autocomplete?: string;
  required?: boolean;
  maxLength?: number;
  /** How many characters wide it is, where there is room for more. */
  size?: number;
}

export function Field(props: FieldProps) {
  const { label, hint, wrong, isOptional, value, onValue, before, after, ...input } = props;
  const id = useId();
  const around = { label, hint, wrong, isOptional };
  return (
    <Surround id={id} {...around}>
      <div class="box">
        {before && <span class="affix">{before}</span>}
        <input
          {...(input as { type?: "text" })}
          id={id}
          value={value}
          aria-invalid={wrong ? "true" : undefined}
          aria-describedby={describedBy(id, around)}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
        {after && <span class="affix">{after}</span>}
      </div>
    </Surround>
  );
}

/** Gives the value of a member of a form, and what changes it. */
export function fieldsOf<Form>(form: Form, set: (change: Partial<Form>) => void) {
  return <Name extends keyof Form>(name: Name) => ({
    value: form[name],
    onValue: (value: Form[Name]) => set({ [name]: value } as unknown as Partial<Form>),
  });
}

interface SelectProps<Value extends string> extends Omit<Around, "isOptional"> {
  value: Value;
  options: readonly (readonly [value: Value, name: string])[];
  onValue: (value: Value) => void;
}

export function Select<Value extends string>({ value, options, onValue, ...around }: SelectProps<Value>) {
  const id = useId();
  return (
    <Surround id={id} {...around}>
      <select
        id={id}
        value={value}
        aria-describedby={describedBy(id, around)}
        onChange={(event) => onValue(event.currentTarget.value as Value)}
      >
        {options.map(([each, name]) => (
          <option key={each} value={each} selected={each === value}>
            {name}
          </option>
        ))}
      </select>
    </Surround>
  );
}

/** One of what a list can be filtered by, or all of it. The value may be none of the options, as of an old address. */
export function Filter({ options, ...select }: Omit<SelectProps<string>, "hint" | "wrong">) {
  const { value } = select;
  const missing = value && !options.some(([each]) => each === value) ? [[value, value] as const] : [];
  return <Select {...select} options={[["", frameWords.value.all], ...missing, ...options]} />;
}

interface Option<Value extends string> {
  value: Value;
  name: ComponentChildren;
  about?: ComponentChildren;
  isDisabled?: boolean;
}

interface ChoiceProps<Value extends string> {
  label: string;
  isLabelHidden?: boolean;
  value: Value;
  options: readonly Option<Value>[];
  onValue: (value: Value) => void;
}

/** One of a few: cards with what each means, or a row of segments where nothing needs to be explained. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, isLabelHidden, value, options, onValue } = props;
  const look = options.some(({ about }) => about) ? "cards" : "segments";
  const name = useId();
  return (
    <fieldset class={`choice ${look}`}>
      <legend class={isLabelHidden ? "unseen" : undefined}>{label}</legend>
      <div class="options">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              disabled={option.isDisabled}
              onChange={() => onValue(option.value)}
            />
            <span class="option">
              <span class="option-name">{option.name}</span>
              {option.about && <span class="faint">{option.about}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
