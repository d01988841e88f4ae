/** A program for each SDK, one to choose: the playground's call, and the docs. */
import { useState } from "preact/hooks";
import { Code } from "../../../parts/code.tsx";
import { Choice } from "../../../parts/field.tsx";
import type { Snippet } from "../../../sdk-programs.ts";
import { installOf, type SdkFamily } from "../../../snippets.ts";

interface SdkWords {
  sdk: string;
  language: string;
  install: string;
  program: string;
}

export function SdkCode({ words, families }: { words: SdkWords; families: SdkFamily[] }) {
  const [name, setName] = useState(families[0]?.name ?? "");
  const [language, setLanguage] = useState<Snippet["language"]>("Python");
  const family = families.find((each) => each.name === name) ?? families[0];
  const snippets = family?.snippets ?? [];
  const snippet = snippets.find((each) => each.language === language) ?? snippets[0];
  return (
    <div class="stack">
      <div class="filters">
        <Choice
          label={words.sdk}
          value={family?.name ?? ""}
          options={families.map((each) => ({ value: each.name, name: each.name }))}
          onValue={setName}
        />
        <Choice
          label={words.language}
          value={snippet?.language ?? language}
          options={(["Python", "JavaScript"] as const)
            .filter((value) => snippets.some((each) => each.language === value))
            .map((value) => ({ value, name: value }))}
          onValue={setLanguage}
        />
      </div>
      {snippet && (
        <>
          <Code label={words.install} text={installOf(snippet)} />
          <Code label={words.program} text={snippet.program} />
        </>
      )}
    </div>
  );
}
