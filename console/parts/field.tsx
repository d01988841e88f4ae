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

function Surround({
  id,
  label,
  hint,
  wrong,
  isOptional,
  children,
}: Around & { id: string; children: ComponentChildren }) {
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
  placeholder?: string;
  required?: boolean;
  maxLength?: number;
  /** How many characters wide it is, where there is room for more. */
  size?: number;
  /** Of a date. */
  min?: string;
  max?: string;
}

export function Field({
  label,
  hint,
  wrong,
  isOptional,
  value,
  onValue,
  before,
  after,
  ...input
}: FieldProps) {
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

export function Select<Value extends string>({
  label,
  hint,
  wrong,
  value,
  options,
  onValue,
}: Around & {
  value: Value;
  options: readonly (readonly [value: Value, name: string])[];
  onValue: (value: Value) => void;
}) {
  const id = useId();
  return (
    <Surround id={id} label={label} hint={hint} wrong={wrong}>
      <select
        id={id}
        value={value}
        aria-describedby={describedBy(id, { label, hint, wrong })}
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

type Options = (readonly [value: string, name: string])[];

/** The options of a choice, with its value where that is none of them, as an old address may have one. */
export function withMissing(options: Options, value: string): Options {
  return value && !options.some(([each]) => each === value) ? [[value, value], ...options] : options;
}

interface Option<Value extends string> {
  value: Value;
  name: ComponentChildren;
  about?: ComponentChildren;
  isDisabled?: boolean;
}

/** One of a few, each with what it means: cards, or a row of segments where nothing needs to be explained. */
export function Choice<Value extends string>({
  label,
  isLabelHidden = false,
  look = "cards",
  value,
  options,
  onValue,
}: {
  label: string;
  isLabelHidden?: boolean;
  look?: "cards" | "segments";
  value: Value;
  options: readonly Option<Value>[];
  onValue: (value: Value) => void;
}) {
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
