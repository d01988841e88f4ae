/** The fields of a key's defaults. */
import { chosenNames, type DefaultChoices } from "../../../key-defaults.ts";
import { Field, Select } from "../../../parts/field.tsx";

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
