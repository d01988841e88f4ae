import type { ComponentChildren } from "preact";
import { useAction } from "../load.ts";
import { frameWords } from "../words.ts";
import { Button } from "./button.tsx";
import { ProblemNote } from "./note.tsx";

interface DialogFormProps {
  /** What the button says. */
  action: string;
  act: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}

/** The form of a dialog: its fields, what went wrong, and two buttons. While `act` runs it is not begun again. */
export function DialogForm({ action, act, onClose, children }: DialogFormProps) {
  const { run, isRunning, problem } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isRunning) void run(act);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys do not click twice.
    <form
      onSubmit={submit}
      // The second click of a double click may meet a button that does another thing by then.
      onClick={(event) => event.detail > 1 && event.preventDefault()}
      noValidate
    >
      {children}
      <ProblemNote problem={problem} />
      <div class="row end">
        <Button onPress={onClose}>{frameWords.value.cancel}</Button>
        <Button type="submit" look="main" isBusy={isRunning}>
          {action}
        </Button>
      </div>
    </form>
  );
}
