/** The dialog that makes a key, and then shows its secret once. */
import { useState } from "preact/hooks";
import type { BillingMode, MadeKey } from "../../../api-types.ts";
import { usualMode } from "../../../billing-mode.ts";
import { emptyForm, expiryDays, type KeyForm, keyBody, wrongFields } from "../../../key-form.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Choice, Field, fieldsOf } from "../../../parts/field.tsx";
import { account, api, madeKey } from "../../../session.ts";
import { KeyBounds } from "./key-bounds.tsx";
import { ShownSecret } from "./shown-secret.tsx";

type Words = typeof import("./en.ts").words;

interface NewKeyProps {
  words: Words;
  onClose: () => void;
  onMade: () => void;
}

export function NewKey({ words, onClose, onMade }: NewKeyProps) {
  const [secret, setSecret] = useState<string>();
  const made = (key: MadeKey) => {
    setSecret(key.key);
    madeKey.value = key;
    onMade();
  };
  return secret === undefined ? (
    <Dialog key="form" title={words.dialog} onClose={onClose}>
      <Form words={words} onMade={made} onClose={onClose} />
    </Dialog>
  ) : (
    <Dialog key="secret" title={words.done} onClose={onClose} isFirm>
      <ShownSecret words={words} secret={secret} onClose={onClose} />
    </Dialog>
  );
}

const expiries = Object.keys(expiryDays) as (keyof typeof expiryDays)[];

interface FormProps {
  words: Words;
  onMade: (key: MadeKey) => void;
  onClose: () => void;
}

function Form({ words, onMade, onClose }: FormProps) {
  const hasWallet = account.value?.wallet !== null;
  const hasPlan = account.value?.plan !== null;
  const [form, setForm] = useState<KeyForm>(() => ({
    ...emptyForm,
    mode: account.value ? usualMode(account.value, Date.now()) : emptyForm.mode,
  }));
  const [wrong, setWrong] = useState(new Set<keyof KeyForm>());
  const set = (change: Partial<KeyForm>) => setForm((before) => ({ ...before, ...change }));
  const field = fieldsOf(form, set);
  const create = async () => {
    const found = wrongFields(form);
    setWrong(found);
    if (found.size === 0) onMade(await api.post<"create_key">("/api/v1/keys", keyBody(form, Date.now())));
  };
  const modes = [
    {
      value: "payg",
      name: words.payg,
      about: hasWallet ? words.paygAbout : words.noWallet,
      isDisabled: !hasWallet,
    },
    {
      value: "subscription",
      name: words.subscription,
      about: hasPlan ? words.subscriptionAbout : words.noPlan,
      isDisabled: !hasPlan,
    },
  ] as const;
  return (
    <DialogForm action={words.create} act={create} onClose={onClose}>
      <Field label={words.name} hint={words.nameHint} {...field("name")} maxLength={128} autocomplete="off" />
      <Choice<BillingMode> label={words.modeLabel} options={modes} {...field("mode")} />
      <KeyBounds {...{ words, form, wrong, set }} expiries={expiries} />
    </DialogForm>
  );
}
