/** The dialog that gives a level or a key a policy, or changes it. */
import { useState } from "preact/hooks";
import type { ApiKey, Member } from "../../../api-types.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Field, Select } from "../../../parts/field.tsx";
import { idOf, type LevelChoice, Whose } from "../../../parts/whose.tsx";
import { policyOf, ruleExamples, ruleNames, textsOf, wrongRules } from "../../../policy-form.ts";
import { frameWords } from "../../../words.ts";
import { changePolicy, type HeldPolicy, type PolicyHolder } from "./held.ts";

type Words = typeof import("./en.ts").words;

interface GivePolicyProps {
  words: Words;
  members: readonly Member[];
  keys: readonly ApiKey[];
  /** The policy that is changed; without one a new one is given. */
  held: HeldPolicy | undefined;
  onClose: () => void;
  onDone: () => void;
}

export function GivePolicy({ words, members, keys, held, onClose, onDone }: GivePolicyProps) {
  const [holder, setHolder] = useState<LevelChoice<PolicyHolder>>({
    level: held?.level ?? "organization",
    project: "",
    member: members[0]?.id ?? "",
  });
  const [key, setKey] = useState(keys[0]?.id ?? "");
  const [texts, setTexts] = useState(textsOf(held?.policy));
  const [wrong, setWrong] = useState(wrongRules(texts));
  const give = async () => {
    const found = wrongRules(texts);
    setWrong(found);
    if (found.size > 0) return;
    const id = holder.level === "key" ? key : idOf(holder);
    await changePolicy(held ?? { level: holder.level, id }, policyOf(texts));
    onDone();
    onClose();
  };
  return (
    <Dialog title={held ? words.change : words.give} onClose={onClose}>
      <DialogForm action={frameWords.value.save} act={give} onClose={onClose}>
        {!held && <Whose words={words} members={members} holder={holder} onHolder={setHolder} />}
        {!held && holder.level === "key" && (
          <Select
            label={words.key}
            value={key}
            options={keys.map(({ id, name, last_four }) => [id, name || `…${last_four}`] as const)}
            onValue={setKey}
          />
        )}
        {ruleNames.map((name) => (
          <Field
            key={name}
            label={words.rules[name]}
            hint={ruleExamples[name]}
            isOptional
            autocomplete="off"
            value={texts[name]}
            onValue={(text) => setTexts({ ...texts, [name]: text })}
            wrong={wrong.has(name) && words.numberWrong}
          />
        ))}
        <p class="hint">{words.formHint}</p>
      </DialogForm>
    </Dialog>
  );
}
