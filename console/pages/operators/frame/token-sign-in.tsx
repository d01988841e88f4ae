/** Signing in by a token of the operators' API. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../../../load.ts";
import { signInByToken, tokenEnded } from "../../../operators/signed-in.ts";
import { Told } from "../../../operators/told.tsx";
import { Preferences } from "../../../parts/account-menu.tsx";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { Note, ProblemNote } from "../../../parts/note.tsx";
import { frameWords } from "../../../words.ts";

type Words = typeof import("./en.ts").words;

export function TokenSignIn({ words }: { words: Words }) {
  const [token, setToken] = useState("");
  const [isWrong, setWrong] = useState(false);
  const { run, isRunning, problem } = useAction();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  useEffect(() => {
    document.title = `${words.title} · ${words.over.product}`;
  }, [words]);
  const submit = (event: Event) => {
    event.preventDefault();
    const text = token.trim();
    // What has another form is sent nowhere: it may be a secret of something else.
    const isToken = /^gwadmin_\w{26}_[\w-]{43}$/.test(text);
    setWrong(!isToken);
    if (isToken && !isRunning) void run(() => signInByToken(text));
  };
  return (
    <main class="alone" id="content">
      <div class="card sign-in">
        <p class="brand">{frameWords.value.product}</p>
        <form ref={form} onSubmit={submit} noValidate>
          <h1 tabIndex={-1}>{words.title}</h1>
          <p class="lead">{words.lead}</p>
          <Told>{tokenEnded.value && !problem && <Note look="warn">{words.ended}</Note>}</Told>
          <Field
            label={words.token}
            hint={words.tokenHint}
            wrong={isWrong && words.tokenWrong}
            type="password"
            autocomplete="current-password"
            value={token}
            onValue={setToken}
          />
          <ProblemNote problem={problem} />
          <Button type="submit" look="main" isBusy={isRunning}>
            {words.enter}
          </Button>
        </form>
      </div>
      <div class="preferences">
        <Preferences />
      </div>
    </main>
  );
}
