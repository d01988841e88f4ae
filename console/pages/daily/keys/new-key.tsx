/** The dialog that makes a key, and then shows its secret once. */
import { useState } from "preact/hooks";
import type { BillingMode, MadeKey } from "../../../api-types.ts";
import { usualMode } from "../../../billing-mode.ts";
import {
  type Expiry,
  emptyForm,
  expiryDays,
  type KeyForm,
  keyBody,
  type NumberField,
  rateFields,
  wrongFields,
} from "../../../key-form.ts";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { Secret } from "../../../parts/copy.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Choice, Field, fieldsOf, Select } from "../../../parts/field.tsx";
import { account, api, madeKey } from "../../../session.ts";
import { settings } from "../../../settings.ts";
import { frameWords } from "../../../words.ts";
import { page as docsPage } from "../docs/page.ts";
import { DefaultFields } from "./key-defaults.tsx";

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
      <Shown words={words} secret={secret} onClose={onClose} />
    </Dialog>
  );
}

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
      <Bounds {...{ words, form, wrong, set }} />
    </DialogForm>
  );
}

interface BoundsProps {
  words: Words;
  form: KeyForm;
  wrong: Set<keyof KeyForm>;
  set: (change: Partial<KeyForm>) => void;
}

function Bounds({ words, form, wrong, set }: BoundsProps) {
  const expiries = (Object.keys(expiryDays) as Expiry[]).map((each) => [each, words.expiries[each]] as const);
  const periods = (["none", "day", "month", "total"] as const).map(
    (each) => [each, words.budgetPeriods[each]] as const,
  );
  const isPlan = form.mode === "subscription";
  const field = fieldsOf(form, set);
  const number = (name: NumberField) => (
    <Field
      key={name}
      label={words[name]}
      isOptional
      inputMode="numeric"
      autocomplete="off"
      {...field(name)}
      wrong={wrong.has(name) && words.wholeNumber}
    />
  );
  return (
    <>
      <div class="pair">
        <Select
          label={words.budgetPeriod}
          value={form.budgetPeriod}
          options={periods}
          onValue={(budgetPeriod) => set({ budgetPeriod })}
        />
        {form.budgetPeriod !== "none" && (
          <Field
            label={words.budget}
            after={frameWords.value.points}
            inputMode="decimal"
            autocomplete="off"
            {...field("budget")}
            wrong={wrong.has("budget") && words.decimal}
          />
        )}
        <Select label={words.expiry} options={expiries} {...field("expiry")} />
      </div>
      {form.budgetPeriod !== "none" && <p class="hint">{words.budgetHint}</p>}
      <details class="figures">
        <summary>{words.more}</summary>
        <div class="stack">
          <Field
            label={words.project}
            hint={words.projectHint}
            isOptional
            autocomplete="off"
            maxLength={128}
            {...field("project")}
          />
          <div class="pair">{["concurrency" as const, ...(isPlan ? rateFields : [])].map(number)}</div>
          {isPlan && <p class="hint">{words.moreHint}</p>}
          <DefaultFields words={words} choices={form.defaults} onChoices={(defaults) => set({ defaults })} />
        </div>
      </details>
    </>
  );
}

function Shown({ words, secret, onClose }: { words: Words; secret: string; onClose: () => void }) {
  return (
    <div class="stack">
      <p>{words.secretLead}</p>
      <Secret text={secret} label={words.secret} />
      {settings.gateway_url && (
        <p>
          {words.baseUrl}: <code>{settings.gateway_url}</code>
        </p>
      )}
      <div class="row end">
        <ButtonLink look="quiet" href={docsPage.path}>
          {words.next}
        </ButtonLink>
        <Button look="main" onPress={onClose}>
          {words.close}
        </Button>
      </div>
    </div>
  );
}
