/** Signing in and signing up: a phone or an e-mail address, a code, and for a new one a name. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { SentCode } from "../../../api-types.ts";
import { type TypedContact, textOf } from "../../../contacts.ts";
import { enter, invitation, signIn } from "../../../entering.ts";
import { useAction } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Preferences } from "../../../parts/account-menu.tsx";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { ProblemNote } from "../../../parts/note.tsx";
import { api } from "../../../session.ts";
import { settings } from "../../../settings.ts";
import { frameWords, locale } from "../../../words.ts";
import { CompanyStep } from "./company-step.tsx";
import { ContactStep, type OnSent, sendCode } from "./contact-step.tsx";

type Words = typeof import("./en.ts").words;

export function Page({ words }: PageProps<Words>) {
  const [step, setStep] = useState<"contact" | "code" | "name" | "company">("contact");
  const [contact, setContact] = useState<TypedContact>({ phone: "" });
  const [code, setCode] = useState("");
  const [resendAt, setResendAt] = useState(0);
  const [signUpIn, setSignUpIn] = useState<number>();
  useEffect(() => {
    document.title = `${words.title} · ${frameWords.value.product}`;
  }, [words]);
  const sent = (to: TypedContact, told: SentCode) => {
    setContact(to);
    setCode("");
    setResendAt(Date.now() + told.resend_in * 1000);
    setSignUpIn(told.sign_up_in);
    setStep("code");
  };
  const back = () => setStep("contact");
  return (
    <main class="alone" id="content">
      <div class="card sign-in">
        <p class="brand">{frameWords.value.product}</p>
        {step === "contact" && (
          <ContactStep words={words} onSent={sent} onCompany={() => setStep("company")} />
        )}
        {step === "company" && <CompanyStep words={words} onBack={back} />}
        {step === "code" && (
          <CodeStep
            {...{ words, contact, resendAt, signUpIn, code }}
            onCode={setCode}
            onSent={sent}
            onNew={() => setStep("name")}
            onBack={back}
          />
        )}
        {step === "name" && <NameStep {...{ words, contact, code }} onBack={back} />}
      </div>
      <div class="preferences">
        <Preferences />
      </div>
    </main>
  );
}

interface CodeStepProps {
  words: Words;
  contact: TypedContact;
  code: string;
  resendAt: number;
  signUpIn: number | undefined;
  onCode: (code: string) => void;
  onSent: OnSent;
  /** The code is right, and the contact has no account. */
  onNew: () => void;
  onBack: () => void;
}

function CodeStep({
  words,
  contact,
  code,
  resendAt,
  signUpIn,
  onCode,
  onSent,
  onNew,
  onBack,
}: CodeStepProps) {
  const [isWrong, setWrong] = useState(false);
  const { run, isRunning, problem } = useAction();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const submit = async (event?: Event) => {
    event?.preventDefault();
    setWrong(!/^\d{6}$/.test(code));
    if (!/^\d{6}$/.test(code) || isRunning) return;
    const answer = await run(() => signIn(contact, code));
    if (answer === "new") onNew();
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <h1 tabIndex={-1}>{words.codeTitle}</h1>
      <p class="lead">
        {signUpIn
          ? words.codeScarce(textOf(contact), Math.ceil(signUpIn / 60))
          : words.codeLead(textOf(contact))}
      </p>
      <Field
        label={words.code}
        value={code}
        onValue={(text) => onCode(text.replace(/\D/g, "").slice(0, 6))}
        inputMode="numeric"
        autocomplete="one-time-code"
        required
        wrong={isWrong && words.codeWrong}
      />
      {settings.inbox_url && (
        <p>
          <a href={settings.inbox_url} target="_blank" rel="noreferrer">
            {words.inbox}
          </a>
        </p>
      )}
      <ProblemNote problem={problem} />
      <Button type="submit" look="main" isBusy={isRunning}>
        {words.enter}
      </Button>
      <Resend {...{ words, contact, resendAt, onSent }} />
      <Button look="quiet" onPress={onBack}>
        {words.other}
      </Button>
    </form>
  );
}

type ResendProps = Pick<CodeStepProps, "words" | "contact" | "resendAt" | "onSent">;

/** Sends another code, once the wait is over. */
function Resend({ words, contact, resendAt, onSent }: ResendProps) {
  const [now, setNow] = useState(Date.now());
  const { run, isRunning, problem } = useAction();
  const left = Math.max(0, Math.ceil((resendAt - now) / 1000));
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), 500);
    return () => clearTimeout(timer);
  }, [left, now]);
  const send = async () => {
    const told = await run(() => sendCode(contact, () => {}));
    if (!told) return;
    setNow(Date.now());
    onSent(contact, told);
  };
  return (
    <>
      <Button isDisabled={left > 0} isBusy={isRunning} onPress={send}>
        {left > 0 ? words.againIn(left) : words.again}
      </Button>
      <ProblemNote problem={problem} />
    </>
  );
}

interface NameStepProps extends Pick<CodeStepProps, "words" | "contact" | "code" | "onBack"> {}

function NameStep({ words, contact, code, onBack }: NameStepProps) {
  const [name, setName] = useState("");
  const [hasOwn, setOwn] = useState(false);
  const { run, isRunning, problem } = useAction();
  const form = useRef<HTMLFormElement>(null);
  const token = invitation();
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    const given = name.trim();
    const body = {
      ...contact,
      code,
      locale: locale.value,
      ...(given && { name: given }),
      ...(token && { invitation: token, own_organization: hasOwn }),
    };
    void run(async () => enter(await api.post<"sign_up">("/api/v1/auth/sign-up", body)));
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <h1 tabIndex={-1}>{words.upTitle}</h1>
      <p class="lead">{token ? words.upLeadInvited(textOf(contact)) : words.upLead(textOf(contact))}</p>
      <Field
        label={words.name}
        hint={words.nameHint}
        isOptional
        value={name}
        onValue={setName}
        autocomplete="name"
        maxLength={64}
      />
      {token && (
        <label class="row">
          <input type="checkbox" checked={hasOwn} onChange={() => setOwn(!hasOwn)} />
          {words.own}
        </label>
      )}
      <ProblemNote problem={problem} />
      <Button type="submit" look="main" isBusy={isRunning}>
        {words.create}
      </Button>
      <Button look="quiet" onPress={onBack}>
        {words.other}
      </Button>
    </form>
  );
}
