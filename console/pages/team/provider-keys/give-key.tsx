/** The dialog that gives the organization a key at a provider, another one, or another use of the one that is there. */
import { useState } from "preact/hooks";
import type { ProviderKey } from "../../../api-types.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Choice, Field, Select } from "../../../parts/field.tsx";
import { api } from "../../../session.ts";
import { frameWords } from "../../../words.ts";

type Words = typeof import("./en.ts").words;
type Use = NonNullable<ProviderKey["use"]>;

interface GiveKeyProps {
  words: Words;
  /** The providers without a key. */
  providers: readonly string[];
  /** The key that is changed; without one a new one is given. */
  given: ProviderKey | undefined;
  onClose: () => void;
  onDone: () => void;
}

export function GiveKey({ words, providers, given, onClose, onDone }: GiveKeyProps) {
  const [provider, setProvider] = useState(given?.provider ?? providers[0] ?? "");
  const [use, setUse] = useState<Use>(given?.use ?? "only");
  const [key, setKey] = useState("");
  const [isWrong, setWrong] = useState(false);
  const save = async () => {
    const text = key.trim();
    const isKept = given !== undefined && text === "";
    const isRight = isKept || /^[\x21-\x7e]{16,512}$/.test(text);
    setWrong(!isRight);
    if (!isRight) return;
    const path = `/api/v1/provider-keys/${encodeURIComponent(provider)}` as const;
    await api.put<"put_provider_key">(path, { use, ...(!isKept && { key: text }) });
    onDone();
    onClose();
  };
  return (
    <Dialog title={given ? words.editOf(given.provider) : words.give} onClose={onClose}>
      <DialogForm action={frameWords.value.save} act={save} onClose={onClose}>
        {!given && (
          <Select
            label={words.provider}
            value={provider}
            options={providers.map((name) => [name, name] as const)}
            onValue={setProvider}
          />
        )}
        <Field
          label={words.key}
          hint={given ? words.keyKept : words.keyHint}
          value={key}
          autocomplete="off"
          onValue={setKey}
          maxLength={512}
          wrong={isWrong && words.keyWrong}
        />
        <Choice<Use>
          label={words.use}
          value={use}
          options={(["only", "first", "after"] as const).map((each) => ({
            value: each,
            name: words.uses[each],
            about: words.abouts[each],
          }))}
          onValue={setUse}
        />
      </DialogForm>
    </Dialog>
  );
}
