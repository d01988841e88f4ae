/** What belongs to the user: name, language, the sessions; and the organization's name, for who may change it. */

import { useEffect, useState } from "preact/hooks";
import type { Account, SessionSeen } from "../../../api-types.ts";
import { contactsOf } from "../../../contacts.ts";
import { away, day, minute } from "../../../format.ts";
import { useAction, useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Preferences } from "../../../parts/account-menu.tsx";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { ProblemNote } from "../../../parts/note.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { account, api, may, readAccount } from "../../../session.ts";
import { frameWords, locale } from "../../../words.ts";
import { browserIn } from "./browser-words.ts";
import { Contacts } from "./contacts.tsx";
import { Mails } from "./mails.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Programs } from "./programs.tsx";
import { useEnding } from "./use-ending.ts";

type Words = typeof import("./en.ts").words;

export function Page({ words }: PageProps<Words>) {
  const who = account.value;
  if (!who) return null;
  const { user, organization } = who;
  return (
    <Sheet>
      <Section title={words.you} lead={words.reached(contactsOf(user).join(", "))}>
        <NameForm
          label={words.name}
          hint={words.nameHint}
          wrong={words.nameWrong}
          name={user.name}
          onSave={(name) => api.patch<"change_account">("/api/v1/account", { name })}
        />
      </Section>
      <Contacts words={words} user={user} />
      <Passkeys words={words} />
      <Section title={words.preferences} lead={words.preferencesLead}>
        <Language user={user} />
      </Section>
      {may("manage_members") && (
        <Section title={words.organization}>
          <NameForm
            key={organization.id}
            label={words.organizationName}
            hint={words.organizationHint}
            wrong={words.nameWrong}
            name={organization.name}
            onSave={(name) => api.patch<"change_organization">("/api/v1/organization", { name })}
          />
          {who.role === "owner" && <KeyPolicy words={words} isAllowed={organization.keys_make_managers} />}
        </Section>
      )}
      <Mails key={`mails ${organization.id}`} words={words} organization={organization.name} />
      <Sessions words={words} />
      {may("manage_own_keys") && <Programs words={words} />}
    </Sheet>
  );
}

/** Whether keys of the organization may make keys that manage keys. */
function KeyPolicy({ words, isAllowed }: { words: Words; isAllowed: boolean }) {
  const { run, isRunning, problem } = useAction();
  const change = (keys_make_managers: boolean) =>
    run(async () => {
      await api.patch<"change_organization">("/api/v1/organization", { keys_make_managers });
      await readAccount();
    });
  return (
    <div class="card narrow">
      <label class="pick">
        <input
          type="checkbox"
          checked={isAllowed}
          disabled={isRunning}
          onChange={(event) => void change(event.currentTarget.checked)}
        />
        {words.keyPolicy}
      </label>
      <ProblemNote problem={problem} />
    </div>
  );
}

interface NameFormProps {
  label: string;
  hint: string;
  wrong: string;
  name: string;
  onSave: (name: string) => Promise<unknown>;
}

function NameForm({ label, hint, wrong, name, onSave }: NameFormProps) {
  const [value, setValue] = useState(name);
  const [isWrong, setWrong] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const { run, isRunning, problem } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    const wanted = value.trim();
    setWrong(wanted === "");
    if (wanted === "" || isRunning) return;
    const done = await run(async () => {
      await onSave(wanted);
      await readAccount();
      return true;
    });
    setSaved(done === true);
  };
  return (
    <form class="card narrow" onSubmit={submit} noValidate>
      <Field
        label={label}
        hint={hint}
        value={value}
        onValue={(text) => {
          setValue(text);
          setSaved(false);
        }}
        maxLength={64}
        wrong={isWrong && wrong}
      />
      <ProblemNote problem={problem} />
      <div class="row">
        <Button type="submit" isBusy={isRunning} isDisabled={value.trim() === name}>
          {frameWords.value.save}
        </Button>
        <span class="faint" aria-live="polite">
          {isSaved && frameWords.value.saved}
        </span>
      </div>
    </form>
  );
}

/** The language is kept in this browser, and with the user for messages. */
function Language({ user }: { user: Account["user"] }) {
  const { run, problem } = useAction();
  const chosen = locale.value;
  useEffect(() => {
    if (chosen === user.locale) return;
    void run(async () => {
      await api.patch<"change_account">("/api/v1/account", { locale: chosen });
      await readAccount();
    });
  }, [chosen, user.locale, run]);
  return (
    <div class="card narrow">
      <Preferences />
      <ProblemNote problem={problem} />
    </div>
  );
}

function Sessions({ words }: { words: Words }) {
  const sessions = useRead<"list_sessions">("/api/v1/auth/sessions");
  const { end, ending, problem } = useEnding(
    (id) => api.remove<"end_session">(`/api/v1/auth/sessions/${encodeURIComponent(id)}`),
    sessions.reload,
  );
  const nameOf = ({ label }: SessionSeen) => browserIn(words, label) || label || words.unknown;
  return (
    <Section title={words.sessions} lead={words.sessionsLead}>
      <ProblemNote problem={problem} />
      <Loaded of={sessions} lines={3}>
        {({ data }) => (
          <Table
            caption={words.sessions}
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              [words.browser, (session) => <span title={session.label}>{nameOf(session)}</span>],
              [words.address, ({ ip }) => ip, "wide"],
              [words.since, ({ created_at }) => day(created_at), "wide"],
              [words.seen, ({ seen_at }) => <span title={minute(seen_at)}>{away(seen_at, Date.now())}</span>],
              [
                words.end,
                (session) =>
                  session.current ? (
                    <Badge look="good">{words.here}</Badge>
                  ) : (
                    <Button
                      isSmall
                      isBusy={ending === session.id}
                      label={words.endOf(nameOf(session))}
                      onPress={() => void end(session.id)}
                    >
                      {words.end}
                    </Button>
                  ),
                "acts",
              ],
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
