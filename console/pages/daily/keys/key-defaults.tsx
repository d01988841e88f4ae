/** The defaults of a key: their fields, and the dialog that changes them. */
import { useState } from "preact/hooks";
import type { ApiKey } from "../../../api-types.ts";
import { changedDefaults, choicesOf, chosenNames, type DefaultChoices } from "../../../key-defaults.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Field, Select } from "../../../parts/field.tsx";
import { api } from "../../../session.ts";
import { frameWords } from "../../../words.ts";

type Words = typeof import("./en.ts").words;

interface DefaultFieldsProps {
  words: Words;
  choices: DefaultChoices;
  onChoices: (choices: DefaultChoices) => void;
}

export function DefaultFields({ words, choices, onChoices }: DefaultFieldsProps) {
  return (
    <>
      <div class="pair">
        {chosenNames.map((name) => (
          <Select
            key={name}
            label={words.defaults[name]}
            value={choices[name]}
            options={Object.entries(words.defaultChoices[name])}
            onValue={(value) => onChoices({ ...choices, [name]: value })}
          />
        ))}
        <Field
          label={words.defaults.tags}
          value={choices.tags}
          hint="team=search,feature=rag"
          onValue={(tags) => onChoices({ ...choices, tags })}
        />
      </div>
      <p class="hint">{words.defaultsHint}</p>
    </>
  );
}

export interface KeyDialogProps {
  words: Words;
  apiKey: ApiKey;
  onClose: () => void;
  onDone: () => void;
}

export function ChangeKey({ words, apiKey, onClose, onDone }: KeyDialogProps) {
  const [choices, setChoices] = useState(() => choicesOf(apiKey.defaults));
  const change = async () => {
    const path = `/api/v1/keys/${encodeURIComponent(apiKey.id)}` as const;
    await api.patch<"change_key">(path, { defaults: changedDefaults(choices) });
    onDone();
    onClose();
  };
  return (
    <Dialog title={words.changeOf(apiKey.name || `…${apiKey.last_four}`)} onClose={onClose}>
      <DialogForm action={frameWords.value.save} act={change} onClose={onClose}>
        <DefaultFields words={words} choices={choices} onChoices={setChoices} />
      </DialogForm>
    </Dialog>
  );
}
