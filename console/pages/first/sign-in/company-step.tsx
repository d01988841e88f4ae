/** Signing in by the organization's own provider: an address says which one, and the browser goes there. */
import { useState } from "preact/hooks";
import { useAction } from "../../../load.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { ProblemNote } from "../../../parts/note.tsx";
import { api } from "../../../session.ts";

type Words = typeof import("./en.ts").words;

export function CompanyStep({ words, onBack }: { words: Words; onBack: () => void }) {
  const [email, setEmail] = useState("");
  const [isWrong, setWrong] = useState(false);
  const { run, isRunning, problem } = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    const given = email.trim();
    const isAddress = /^[^@\s]+@[^@\s]+$/.test(given);
    setWrong(!isAddress);
    if (!isAddress || isRunning) return;
    void run(async () => {
      const { url } = await api.post<"begin_sign_on">("/api/v1/auth/sign-on", { email: given });
      location.assign(url);
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <h1 tabIndex={-1}>{words.companyTitle}</h1>
      <p class="lead">{words.companyLead}</p>
      <Field
        label={words.companyEmail}
        value={email}
        onValue={setEmail}
        type="email"
        inputMode="email"
        autocomplete="email"
        required
        wrong={isWrong && words.companyEmailWrong}
      />
      <ProblemNote problem={problem} />
      <Button type="submit" look="main" isBusy={isRunning}>
        {words.enter}
      </Button>
      <Button look="quiet" onPress={onBack}>
        {words.companyBack}
      </Button>
    </form>
  );
}
