/** Signing in and signing up: a phone, a code, and for a new phone a name. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { SentCode } from "../../../api-types.ts";
import { enter, invitation, signIn } from "../../../entering.ts";
import { proveHuman } from "../../../human.ts";
import { useAction } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Preferences } from "../../../parts/account-menu.tsx";
import { Button } from "../../../parts/button.tsx";
import { Field, Select } from "../../../parts/field.tsx";
import { Note, ProblemNote } from "../../../parts/note.tsx";
import { phoneOf } from "../../../phone.ts";
import { asProblem } from "../../../problem.ts";
import { api, ended } from "../../../session.ts";
import { settings } from "../../../settings.ts";
import { frameWords, locale } from "../../../words.ts";

type Words = typeof import("./en.ts").words;

export function Page({ words }: PageProps<Words>) {
  const [step, setStep] = useState<"phone" | "code" | "name">("phone");
  const [phone, setPhone] = useState("");
  const [code, setCode] = useState("");
  const [resendAt, setResendAt] = useState(0);
  const [signUpIn, setSignUpIn] = useState<number>();
  useEffect(() => {
    document.title = `${words.title} · ${frameWords.value.product}`;
  }, [words]);
  const sent = (to: string, told: SentCode) => {
    setPhone(to);
    setCode("");
    setResendAt(Date.now() + told.resend_in * 1000);
    setSignUpIn(told.sign_up_in);
    setStep("code");
  };
  const back = () => setStep("phone");
  return (
    <main class="alone" id="content">
      <div class="card sign-in">
        <p class="brand">{frameWords.value.product}</p>
        {step === "phone" && <PhoneStep words={words} onSent={sent} />}
        {step === "code" && (
          <CodeStep
            {...{ words, phone, resendAt, signUpIn, code }}
            onCode={setCode}
            onSent={sent}
            onNew={() => setStep("name")}
            onBack={back}
          />
        )}
        {step === "name" && <NameStep {...{ words, phone, code }} onBack={back} />}
      </div>
      <div class="preferences">
        <Preferences />
      </div>
    </main>
  );
}

/** Asks for a code, and proves that a person is there if that is asked for. */
async function sendCode(phone: string, onProve: () => void): Promise<SentCode> {
  const ask = (human?: string) =>
    api.post<"send_code">("/api/v1/auth/code", { phone, locale: locale.value, ...(human && { human }) });
  try {
    return await ask();
  } catch (error) {
    const { human } = asProblem(error);
    if (!human) throw error;
    onProve();
    return await ask(await proveHuman(human));
  }
}

type OnSent = (phone: string, told: SentCode) => void;

function PhoneStep({ words, onSent }: { words: Words; onSent: OnSent }) {
  const [country, setCountry] = useState(settings.countries[0] ?? "+86");
  const [number, setNumber] = useState("");
  const [isWrong, setWrong] = useState(false);
  const [isProving, setProving] = useState(false);
  const { run, isRunning, problem } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    const phone = phoneOf(country, number);
    setWrong(!phone);
    if (!phone || isRunning) return;
    const told = await run(() => sendCode(phone, () => setProving(true)));
    setProving(false);
    if (told) onSent(phone, told);
  };
  return (
    <form onSubmit={submit} noValidate>
      <h1 tabIndex={-1}>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      {ended.value && <ProblemNote problem={ended.value} />}
      {invitation() && <Note>{words.invited}</Note>}
      {settings.registration === "closed" && <Note>{words.closed}</Note>}
      {settings.countries.length > 1 && (
        <Select
          label={words.country}
          value={country}
          options={settings.countries.map((each) => [each, each] as const)}
          onValue={setCountry}
        />
      )}
      <Field
        label={words.phone}
        before={country}
        value={number}
        onValue={setNumber}
        type="tel"
        inputMode="tel"
        autocomplete="tel-national"
        required
        wrong={isWrong && words.phoneWrong}
      />
      <p class="faint" aria-live="polite">
        {isProving && words.proving}
      </p>
      <ProblemNote problem={problem} />
      <Button type="submit" look="main" isBusy={isRunning}>
        {words.send}
      </Button>
      <p class="faint">{words.phoneUse}</p>
    </form>
  );
}

interface CodeStepProps {
  words: Words;
  phone: string;
  code: string;
  resendAt: number;
  signUpIn: number | undefined;
  onCode: (code: string) => void;
  onSent: OnSent;
  /** The code is right, and the phone has no account. */
  onNew: () => void;
  onBack: () => void;
}

function CodeStep({ words, phone, code, resendAt, signUpIn, onCode, onSent, onNew, onBack }: CodeStepProps) {
  const [isWrong, setWrong] = useState(false);
  const { run, isRunning, problem } = useAction();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const submit = async (event?: Event) => {
    event?.preventDefault();
    setWrong(!/^\d{6}$/.test(code));
    if (!/^\d{6}$/.test(code) || isRunning) return;
    const answer = await run(() => signIn(phone, code));
    if (answer === "new") onNew();
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <h1 tabIndex={-1}>{words.codeTitle}</h1>
      <p class="lead">
        {signUpIn ? words.codeScarce(phone, Math.ceil(signUpIn / 60)) : words.codeLead(phone)}
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
      <Resend {...{ words, phone, resendAt, onSent }} />
      <Button look="quiet" onPress={onBack}>
        {words.otherPhone}
      </Button>
    </form>
  );
}

type ResendProps = Pick<CodeStepProps, "words" | "phone" | "resendAt" | "onSent">;

/** Sends another code, once the wait is over. */
function Resend({ words, phone, resendAt, onSent }: ResendProps) {
  const [now, setNow] = useState(Date.now());
  const { run, isRunning, problem } = useAction();
  const left = Math.max(0, Math.ceil((resendAt - now) / 1000));
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), 500);
    return () => clearTimeout(timer);
  }, [left, now]);
  const send = async () => {
    const told = await run(() => sendCode(phone, () => {}));
    if (!told) return;
    setNow(Date.now());
    onSent(phone, told);
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

interface NameStepProps extends Pick<CodeStepProps, "words" | "phone" | "code" | "onBack"> {}

function NameStep({ words, phone, code, onBack }: NameStepProps) {
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
      phone,
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
      <p class="lead">{token ? words.upLeadInvited(phone) : words.upLead(phone)}</p>
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
        {words.otherPhone}
      </Button>
    </form>
  );
}
