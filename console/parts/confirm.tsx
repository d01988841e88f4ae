import type { ComponentChildren } from "preact";
import { useAction } from "../load.ts";
import { frameWords } from "../words.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ProblemNote } from "./note.tsx";

interface ConfirmProps {
  title: string;
  /** What the button says. */
  action: string;
  act: () => Promise<unknown>;
  onClose: () => void;
  /** What stands between the question and the buttons. */
  more?: ComponentChildren;
  children: ComponentChildren;
}

/** Asks before something is done that cannot be taken back. It closes when `act` has succeeded. */
export function Confirm({ title, action, act, onClose, more, children }: ConfirmProps) {
  const { run, isRunning, problem } = useAction();
  const confirm = async () => {
    const done = await run(async () => {
      await act();
      return true;
    });
    if (done) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        <p>{children}</p>
        {more}
        <ProblemNote problem={problem} />
        <div class="row end">
          <Button onPress={onClose}>{frameWords.value.cancel}</Button>
          <Button look="danger" isBusy={isRunning} onPress={confirm}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
