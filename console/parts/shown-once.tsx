/** A dialog with a text that is shown this once, such as a secret. */
import { Button } from "./button.tsx";
import { Secret } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

interface ShownOnceProps {
  title: string;
  lead: string;
  text: string;
  /** What the text is. */
  label: string;
  done: string;
  onClose: () => void;
  /** It closes by its button alone. */
  isFirm?: boolean;
}

export function ShownOnce({ title, lead, text, label, done, onClose, isFirm = false }: ShownOnceProps) {
  return (
    <Dialog title={title} onClose={onClose} isFirm={isFirm}>
      <div class="stack">
        <p>{lead}</p>
        <Secret text={text} label={label} />
        <div class="row end">
          <Button look="main" onPress={onClose}>
            {done}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
