/** Whose calls are bounded: a level, and which of its several accounts. */
import type { Member } from "../api-types.ts";
import { callName } from "../contacts.ts";
import { Choice, Field, Select } from "./field.tsx";

/** A level, with what was typed or chosen of its account. */
export interface LevelChoice<Level extends string> {
  level: Level;
  project: string;
  member: string;
}

/** The id of the account; null at a level that has one account. */
export function idOf({ level, project, member }: LevelChoice<string>): string | null {
  if (level === "project") return project.trim();
  return level === "member" ? member : null;
}

interface WhoseWords<Level extends string> {
  whose: string;
  levels: Readonly<Record<Level, string>>;
  abouts: Readonly<Record<Level, string>>;
  project: string;
  projectHint: string;
  member: string;
}

interface WhoseProps<Level extends string> {
  words: WhoseWords<Level>;
  members: readonly Member[];
  holder: LevelChoice<Level>;
  onHolder: (holder: LevelChoice<Level>) => void;
}

export function Whose<Level extends string>({ words, members, holder, onHolder }: WhoseProps<Level>) {
  const { level, project, member } = holder;
  return (
    <>
      <Choice<Level>
        label={words.whose}
        value={level}
        options={(Object.keys(words.levels) as Level[]).map((each) => ({
          value: each,
          name: words.levels[each],
          about: words.abouts[each],
        }))}
        onValue={(wanted) => onHolder({ ...holder, level: wanted })}
      />
      {level === "project" && (
        <Field
          label={words.project}
          hint={words.projectHint}
          value={project}
          onValue={(name) => onHolder({ ...holder, project: name })}
          maxLength={64}
        />
      )}
      {level === "member" && (
        <Select
          label={words.member}
          value={member}
          options={members.map((each) => [each.id, callName(each)] as const)}
          onValue={(id) => onHolder({ ...holder, member: id })}
        />
      )}
    </>
  );
}
