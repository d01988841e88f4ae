import { useId } from "preact/hooks";

interface TextAreaProps {
  label: string;
  value: string;
  rows: number;
  onValue: (value: string) => void;
  onSend?: () => void;
}

/** A text of several lines. Control or Command with Enter sends it. */
export function TextArea({ label, value, rows, onValue, onSend }: TextAreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) onSend?.();
        }}
      />
    </div>
  );
}
