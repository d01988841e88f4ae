/** When people are told that the wallet is low. */
import { useState } from "preact/hooks";
import type { WalletThresholds } from "../../../api-types.ts";
import { useAction, useRead } from "../../../load.ts";
import {
  type LowWalletForm,
  lowDaysMax,
  lowWalletBody,
  lowWalletForm,
  wrongLowWallet,
} from "../../../low-wallet-form.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { ProblemNote } from "../../../parts/note.tsx";
import { Section } from "../../../parts/sheet.tsx";
import { api } from "../../../session.ts";
import { frameWords } from "../../../words.ts";

type Words = typeof import("./en.ts").words;
const path = "/api/v1/wallet-thresholds";

export function LowWallet({ words }: { words: Words }) {
  const set = useRead<"show_wallet_thresholds">(path);
  return (
    <Section title={words.low} lead={words.lowLead}>
      <Loaded of={set} lines={3}>
        {(read) => <Form words={words} read={read} />}
      </Loaded>
    </Section>
  );
}

function Form({ words, read }: { words: Words; read: WalletThresholds }) {
  const [form, setForm] = useState(lowWalletForm(read));
  const [state, setState] = useState<"typing" | "wrong" | "kept">("typing");
  const { run, isRunning, problem } = useAction();
  const wrong = state === "wrong" ? wrongLowWallet(form) : new Set();
  const change = (changed: Partial<LowWalletForm>) => {
    setForm({ ...form, ...changed });
    if (state === "kept") setState("typing");
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    if (wrongLowWallet(form).size > 0) return setState("wrong");
    const kept = await run(() => api.put<"set_wallet_thresholds">(path, lowWalletBody(form)));
    if (!kept) return;
    setForm(lowWalletForm(kept));
    setState("kept");
  };
  return (
    <form class="card narrow stack" onSubmit={submit} noValidate>
      <Field
        label={words.lowPoints}
        hint={words.lowPointsHint}
        after={frameWords.value.points}
        inputMode="decimal"
        autocomplete="off"
        isOptional
        value={form.points}
        onValue={(points) => change({ points })}
        wrong={wrong.has("points") && words.lowPointsWrong}
      />
      <Field
        label={words.lowDays}
        hint={words.lowDaysHint}
        inputMode="numeric"
        autocomplete="off"
        isOptional
        value={form.days}
        onValue={(days) => change({ days })}
        wrong={wrong.has("days") && words.lowDaysWrong(lowDaysMax)}
      />
      <ProblemNote problem={problem} />
      <div class="row">
        <Button type="submit" isBusy={isRunning}>
          {words.lowKeep}
        </Button>
        <span role="status">{state === "kept" && words.lowKept}</span>
      </div>
    </form>
  );
}
