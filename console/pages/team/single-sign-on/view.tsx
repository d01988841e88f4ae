/** Signing in by the company's own provider, as owners set it. */
import { useState } from "preact/hooks";
import type { SignOn, SignOnConnection } from "../../../api-types.ts";
import { useAction, useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Secret } from "../../../parts/copy.tsx";
import { type Fact, FactList } from "../../../parts/fact-list.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty, ProblemNote } from "../../../parts/note.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { api } from "../../../session.ts";
import { frameWords } from "../../../words.ts";
import { Domains } from "./domains.tsx";
import { ProviderForm } from "./provider-form.tsx";
import { ProvisioningSection } from "./provisioning.tsx";

type Words = typeof import("./en.ts").words;

export function Page({ words }: PageProps<Words>) {
  const read = useRead<"show_sign_on">("/api/v1/sign-on");
  return (
    <Sheet lead={words.lead}>
      <Loaded of={read} lines={6}>
        {(signOn) => (
          <>
            <Provider words={words} signOn={signOn} onDone={read.reload} />
            <Domains words={words} domains={signOn.domains} onDone={read.reload} />
            {signOn.connection && <ProvisioningSection words={words} />}
            {signOn.connection && <Own words={words} />}
            {signOn.connection && <Only words={words} isRequired={signOn.required} onDone={read.reload} />}
          </>
        )}
      </Loaded>
    </Sheet>
  );
}

interface ProviderProps {
  words: Words;
  signOn: SignOn;
  onDone: () => void;
}

function Provider({ words, signOn: { connection, redirect_uri }, onDone }: ProviderProps) {
  const [asked, setAsked] = useState<"set" | "remove">();
  const close = () => setAsked(undefined);
  const actions = (
    <>
      {connection && <Button onPress={() => setAsked("remove")}>{words.remove}</Button>}
      <Button look="main" onPress={() => setAsked("set")}>
        {connection ? words.change : words.set}
      </Button>
    </>
  );
  return (
    <Section title={words.provider} actions={actions}>
      {connection ? (
        <FactList facts={factsOf(words, connection)} />
      ) : (
        <Empty title={words.none}>{words.noneLead}</Empty>
      )}
      <h3>{words.redirectUri}</h3>
      <p class="hint">{words.redirectLead}</p>
      <Secret text={redirect_uri} label={words.redirectUri} />
      {asked === "set" && (
        <ProviderForm words={words} connection={connection} onClose={close} onDone={onDone} />
      )}
      {asked === "remove" && (
        <Confirm
          title={words.removeTitle}
          action={words.remove}
          onClose={close}
          act={async () => {
            await api.remove<"remove_sign_on">("/api/v1/sign-on");
            onDone();
          }}
        >
          {words.removeLead}
        </Confirm>
      )}
    </Section>
  );
}

function factsOf(words: Words, { issuer, client_id, admits, rules, default_role }: SignOnConnection): Fact[] {
  const { roles } = frameWords.value;
  return [
    [words.issuer, issuer],
    [words.clientId, client_id],
    [words.admits, words.admissions[admits]],
    [words.rules, rules.map((rule) => shownRule(rule, roles)).join("; ")],
    [words.defaultRole, default_role ? roles[default_role] : words.nobody],
  ];
}

function shownRule(
  { group, role, projects }: SignOnConnection["rules"][number],
  roles: Record<string, string>,
) {
  return [`${group}: ${roles[role]}`, ...(projects ?? [])].join(", ");
}

/** Joins the reader's own account to the one at the provider: the browser goes there. */
function Own({ words }: { words: Words }) {
  const { run, isRunning, problem } = useAction();
  const join = () =>
    void run(async () => {
      const { url } = await api.post<"begin_link">("/api/v1/auth/sign-on/link", {});
      location.assign(url);
    });
  return (
    <Section title={words.own} lead={words.ownLead}>
      <ProblemNote problem={problem} />
      <Button isBusy={isRunning} onPress={join}>
        {words.join}
      </Button>
    </Section>
  );
}

function Only({ words, isRequired, onDone }: { words: Words; isRequired: boolean; onDone: () => void }) {
  const { run, isRunning, problem } = useAction();
  const change = (required: boolean) =>
    void run(async () => {
      await api.patch<"change_sign_on">("/api/v1/sign-on", { required });
      onDone();
    });
  return (
    <Section title={words.only} lead={words.onlyLead}>
      <label class="pick">
        <input
          type="checkbox"
          checked={isRequired}
          disabled={isRunning}
          onChange={(event) => change(event.currentTarget.checked)}
        />
        {words.onlyLabel}
      </label>
      <ProblemNote problem={problem} />
    </Section>
  );
}
