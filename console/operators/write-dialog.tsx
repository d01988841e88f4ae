/** The dialog of every write: its fields and a reason, then what would happen, and only then the write. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type {
  AdminAnswer,
  AdminBody,
  AdminOperationOf,
  AdminPath,
} from "../../shared/edges/openapi/route-types.ts";
import type { DryRun } from "../api-types.ts";
import { points } from "../format.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DialogForm } from "../parts/dialog-form.tsx";
import { Field } from "../parts/field.tsx";
import { Note } from "../parts/note.tsx";
import { frameWords } from "../words.ts";
import { useWriteKey } from "../write-key.ts";
import { changes, operatorsApi } from "./signed-in.ts";
import { operatorWords } from "./words.ts";

interface WriteDialogProps<By extends AdminOperationOf<"POST">> {
  title: string;
  /** What the button says that does it. */
  action: string;
  path: AdminPath<By>;
  /** What is sent with a reason. Undefined: a field is wrong, and says so. */
  body: (reason: string) => AdminBody<By> | undefined;
  onClose: () => void;
  onDone: (answer: AdminAnswer<By>) => void;
  /** Draws the fields before the reason. `isTried`: somebody has sent them, so what is wrong is said. */
  fields?: (isTried: boolean) => ComponentChildren;
}

/** What would happen is asked anew whenever a field has changed. One that would do nothing is only closed. */
export function WriteDialog<By extends AdminOperationOf<"POST">>(props: WriteDialogProps<By>) {
  const { title, action, path, body, onClose, onDone, fields } = props;
  const words = operatorWords.value;
  const [reason, setReason] = useState("");
  const [isTried, setTried] = useState(false);
  const [seen, setSeen] = useState<{ of: string; told: DryRun }>();
  const key = useWriteKey();
  const why = reason.trim();
  const text = JSON.stringify(body(why));
  const told = seen !== undefined && seen.of === text ? seen.told : undefined;
  const isIdle = told?.would === "nothing";
  const act = async () => {
    setTried(true);
    const wanted = body(why);
    if (why === "" || wanted === undefined) return;
    if (isIdle) return onClose();
    if (!told) return setSeen({ of: text, told: await operatorsApi.foresee<By>(path, wanted) });
    const answer = await operatorsApi.post<By>(path, wanted, key.of(`${path} ${text}`));
    key.forget();
    changes.value += 1;
    onDone(answer);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm action={told ? doing(told.would, action) : words.check} act={act} onClose={onClose}>
        {fields?.(isTried)}
        <Field
          label={words.reason}
          hint={words.reasonHint}
          wrong={isTried && why === "" && words.reasonWrong}
          value={reason}
          onValue={setReason}
          maxLength={200}
          autocomplete="off"
        />
        <div role="status">{told && <Foreseen told={told} />}</div>
      </DialogForm>
    </Dialog>
  );
}

/** What the button says that does what was foreseen. */
function doing(would: string, action: string): string {
  if (would === "nothing") return frameWords.value.close;
  return would === "propose" ? operatorWords.value.propose : action;
}

function Foreseen({ told }: { told: DryRun }) {
  const words = operatorWords.value;
  const { would, balance_points: before, balance_points_after: after } = told;
  return (
    <Note>
      <strong>{words.foreseen}</strong>
      <p>{words.would[would] ?? would}</p>
      {before !== undefined && after !== undefined && before !== after && (
        <p>{words.balance(points(before), points(after))}</p>
      )}
    </Note>
  );
}
