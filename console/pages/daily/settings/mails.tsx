/** Which mails the reader gets of this organization, by groups. Each choice is kept at once. */
import type { MailChoices } from "../../../api-types.ts";
import { useAction, useRead } from "../../../load.ts";
import { Select } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Note, ProblemNote } from "../../../parts/note.tsx";
import { Section } from "../../../parts/sheet.tsx";
import { api } from "../../../session.ts";

type Words = typeof import("./en.ts").words;
type Level = MailChoices["groups"][number]["level"];

export function Mails({ words, organization }: { words: Words; organization: string }) {
  const choices = useRead<"show_mails">("/api/v1/account/mails");
  return (
    <Section title={words.mails} lead={words.mailsLead(organization)}>
      <Loaded of={choices} lines={4}>
        {(read) => <Choices words={words} read={read} onDone={choices.reload} />}
      </Loaded>
    </Section>
  );
}

function Choices({ words, read, onDone }: { words: Words; read: MailChoices; onDone: () => void }) {
  const { run, problem } = useAction();
  const { enabled, email_shown, most_per_day, groups } = read;
  if (!enabled) return <Note>{words.noMails}</Note>;
  const choose = (group: string, level: Level) =>
    run(async () => {
      await api.patch<"change_mails">("/api/v1/account/mails", { [group]: level });
      onDone();
    });
  return (
    <div class="card narrow stack">
      <p>{email_shown === null ? words.noAddress : words.mailsTo(email_shown, most_per_day)}</p>
      {groups.map(({ group, level, levels }) => (
        <Select
          key={group}
          label={words.mailGroups[group]}
          value={level}
          onValue={(chosen) => void choose(group, chosen as Level)}
          options={levels.map((each) => [each, words.mailLevels[each]])}
        />
      ))}
      <ProblemNote problem={problem} />
    </div>
  );
}
