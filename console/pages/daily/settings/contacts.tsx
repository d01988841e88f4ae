/** By what somebody signs in: a phone, an e-mail address, or both. A new one is proved by a code. */
import { useState } from "preact/hooks";
import type { Account } from "../../../api-types.ts";
import { emailOf, phoneOf, type TypedContact } from "../../../contacts.ts";
import { useAction } from "../../../load.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { ProblemNote } from "../../../parts/note.tsx";
import { Section } from "../../../parts/sheet.tsx";
import { api, readAccount } from "../../../session.ts";
import { settings } from "../../../settings.ts";
import { sendCode } from "../../first/sign-in/contact-step.tsx";

type Words = typeof import("./en.ts").words;
type Kind = (typeof settings.kinds)[number];

/** What is shown of the contact of each kind. */
function shownIn({ phone_last_four, email_shown }: Account["user"]): Record<Kind, string | null> {
  return { phone: phone_last_four && `…${phone_last_four}`, email: email_shown };
}

export function Contacts({ words, user }: { words: Words; user: Account["user"] }) {
  const shown = shownIn(user);
  const has = settings.kinds.filter((kind) => shown[kind]);
  const missing = settings.kinds.filter((kind) => !shown[kind]);
  const { run, isRunning, problem } = useAction();
  const remove = (kind: Kind) =>
    run(async () => {
      await api.remove<"remove_contact">(`/api/v1/account/contacts/${kind}`);
      await readAccount();
    });
  return (
    <Section title={words.contacts} lead={words.contactsLead}>
      <div class="card narrow stack">
        {has.map((kind) => (
          <div key={kind} class="row">
            <span>
              {words.kinds[kind]}: {shown[kind]}
            </span>
            {has.length > 1 && (
              <Button isSmall isBusy={isRunning} onPress={() => void remove(kind)}>
                {words.remove[kind]}
              </Button>
            )}
          </div>
        ))}
        <ProblemNote problem={problem} />
        {missing.map((kind) => (
          <AddContact key={kind} words={words} kind={kind} />
        ))}
      </div>
    </Section>
  );
}

/** A contact as it was typed; undefined where it cannot be one. A phone stands without or with its country's code. */
function typedContact(kind: Kind, typed: string): TypedContact | undefined {
  if (kind === "email") return emailOf(typed);
  const country =
    settings.countries.find((each) => typed.trim().startsWith(each)) ?? settings.countries[0] ?? "+86";
  return phoneOf(country, typed);
}

function AddContact({ words, kind }: { words: Words; kind: Kind }) {
  const [typed, setTyped] = useState("");
  const [code, setCode] = useState("");
  const [sentTo, setSentTo] = useState<TypedContact>();
  const [isWrong, setWrong] = useState(false);
  const { run, isRunning, problem } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    const contact = sentTo ?? typedContact(kind, typed);
    setWrong(!contact);
    if (!contact) return;
    await run(async () => {
      if (sentTo) {
        await api.post<"add_contact">("/api/v1/account/contacts", { ...contact, code });
        await readAccount();
      } else {
        await sendCode(contact, () => {});
        setSentTo(contact);
      }
    });
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <Field
        label={words.kinds[kind]}
        value={typed}
        onValue={(text) => {
          setTyped(text);
          setSentTo(undefined);
        }}
        type={kind === "email" ? "email" : "tel"}
        autocomplete={kind === "email" ? "email" : "tel"}
        wrong={isWrong && words.contactWrong}
      />
      {sentTo && (
        <Field
          label={words.code}
          hint={words.codeHint}
          value={code}
          onValue={(text) => setCode(text.replace(/\D/g, "").slice(0, 6))}
          inputMode="numeric"
          autocomplete="one-time-code"
        />
      )}
      <ProblemNote problem={problem} />
      <div class="row">
        <Button
          type="submit"
          isBusy={isRunning}
          isDisabled={typed.trim() === "" || (!!sentTo && code.length < 6)}
        >
          {sentTo ? words.add[kind] : words.sendCode}
        </Button>
      </div>
    </form>
  );
}
