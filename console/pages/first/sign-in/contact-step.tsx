/** The first step of signing in: a phone or an e-mail address, to which a code is sent. */
import { useState } from "preact/hooks";
import type { SentCode } from "../../../api-types.ts";
import { emailOf, phoneOf, type TypedContact } from "../../../contacts.ts";
import { invitation } from "../../../entering.ts";
import { proveHuman } from "../../../human.ts";
import { useAction } from "../../../load.ts";
import { Button } from "../../../parts/button.tsx";
import { Field, Select } from "../../../parts/field.tsx";
import { Note, ProblemNote } from "../../../parts/note.tsx";
import { hasPasskeys, signInByPasskey } from "../../../passkeys.ts";
import { asProblem } from "../../../problem.ts";
import { api, ended } from "../../../session.ts";
import { settings } from "../../../settings.ts";
import { locale } from "../../../words.ts";

type Words = typeof import("./en.ts").words;

/** Asks for a code, and proves that a person is there if that is asked for. */
export async function sendCode(contact: TypedContact, onProve: () => void): Promise<SentCode> {
  const ask = (human?: string) =>
    api.post<"send_code">("/api/v1/auth/code", { ...contact, locale: locale.value, ...(human && { human }) });
  try {
    return await ask();
  } catch (error) {
    const { human } = asProblem(error);
    if (!human) throw error;
    onProve();
    return await ask(await proveHuman(human));
  }
}

export type OnSent = (contact: TypedContact, told: SentCode) => void;

interface ContactStepProps {
  words: Words;
  onSent: OnSent;
  onCompany: () => void;
}

export function ContactStep({ words, onSent, onCompany }: ContactStepProps) {
  const [kind, setKind] = useState(settings.kinds[0] ?? "phone");
  const [address, setAddress] = useState("");
  const [country, setCountry] = useState(settings.countries[0] ?? "+86");
  const [number, setNumber] = useState("");
  const [isWrong, setWrong] = useState(false);
  const [isProving, setProving] = useState(false);
  const { run, isRunning, problem } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    const contact = kind === "phone" ? phoneOf(country, number) : emailOf(address);
    setWrong(!contact);
    if (!contact || isRunning) return;
    const told = await run(() => sendCode(contact, () => setProving(true)));
    setProving(false);
    if (told) onSent(contact, told);
  };
  return (
    <form onSubmit={submit} noValidate>
      <h1 tabIndex={-1}>{words.title}</h1>
      <p class="lead">{kind === "phone" ? words.lead : words.leadEmail}</p>
      {ended.value && <ProblemNote problem={ended.value} />}
      {invitation() && <Note>{words.invited}</Note>}
      {settings.registration === "closed" && <Note>{words.closed}</Note>}
      {kind === "phone" ? (
        <PhoneFields {...{ words, country, number, isWrong }} onCountry={setCountry} onNumber={setNumber} />
      ) : (
        <Field
          label={words.email}
          value={address}
          onValue={setAddress}
          type="email"
          inputMode="email"
          autocomplete="email"
          maxLength={254}
          required
          wrong={isWrong && words.emailWrong}
        />
      )}
      <p class="faint" aria-live="polite">
        {isProving && words.proving}
      </p>
      <ProblemNote problem={problem} />
      <Button type="submit" look="main" isBusy={isRunning}>
        {words.send}
      </Button>
      <OtherWays
        {...{ words, kind, run, isRunning, onCompany }}
        onKind={(each) => {
          setKind(each);
          setWrong(false);
        }}
      />
      <p class="faint">{words.use[kind]}</p>
    </form>
  );
}

type Kind = (typeof settings.kinds)[number];

interface OtherWaysProps extends Pick<ContactStepProps, "words" | "onCompany"> {
  kind: Kind;
  isRunning: boolean;
  run: (act: () => Promise<void>) => unknown;
  onKind: (kind: Kind) => void;
}

/** The other kind of contact, a passkey, and the company's own page. */
function OtherWays({ words, kind, run, isRunning, onKind, onCompany }: OtherWaysProps) {
  return (
    <>
      {settings.kinds
        .filter((each) => each !== kind)
        .map((each) => (
          <Button key={each} look="quiet" onPress={() => onKind(each)}>
            {words.instead[each]}
          </Button>
        ))}
      {hasPasskeys && (
        <Button look="quiet" isBusy={isRunning} onPress={() => void run(signInByPasskey)}>
          {words.passkey}
        </Button>
      )}
      <Button look="quiet" onPress={onCompany}>
        {words.company}
      </Button>
    </>
  );
}

interface PhoneFieldsProps {
  words: Words;
  country: string;
  number: string;
  isWrong: boolean;
  onCountry: (country: string) => void;
  onNumber: (number: string) => void;
}

function PhoneFields({ words, country, number, isWrong, onCountry, onNumber }: PhoneFieldsProps) {
  return (
    <>
      {settings.countries.length > 1 && (
        <Select
          label={words.country}
          value={country}
          options={settings.countries.map((each) => [each, each] as const)}
          onValue={onCountry}
        />
      )}
      <Field
        label={words.phone}
        before={country}
        value={number}
        onValue={onNumber}
        type="tel"
        inputMode="tel"
        autocomplete="tel-national"
        required
        wrong={isWrong && words.phoneWrong}
      />
    </>
  );
}
