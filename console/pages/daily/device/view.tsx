/** The page that a terminal names: who asks to be signed in, and the person's decision. The code may stand behind `#`. */
import { useEffect, useState } from "preact/hooks";
import type { BillingMode, Device } from "../../../api-types.ts";
import { usualMode } from "../../../billing-mode.ts";
import { callName } from "../../../contacts.ts";
import { second } from "../../../format.ts";
import { useAction } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { FactList } from "../../../parts/fact-list.tsx";
import { Choice, Field } from "../../../parts/field.tsx";
import { Empty, Note, ProblemNote } from "../../../parts/note.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { account, api } from "../../../session.ts";

type Words = typeof import("./en.ts").words;

/** How a code looks, with or without its hyphen. */
const form = /^[a-z]{4}[\s-]?[a-z]{4}$/i;

export function Page({ words }: PageProps<Words>) {
  const [device, setDevice] = useState<Device>();
  const [isAllowed, setAllowed] = useState<boolean>();
  if (isAllowed !== undefined)
    return (
      <Sheet>
        <Empty title={isAllowed ? words.allowed : words.refused}>
          {isAllowed ? words.allowedLead : words.refusedLead}
        </Empty>
      </Sheet>
    );
  return (
    <Sheet lead={words.lead}>
      {device ? (
        <Decision {...{ words, device }} onDecided={setAllowed} onOther={() => setDevice(undefined)} />
      ) : (
        <Code words={words} onFound={setDevice} />
      )}
    </Sheet>
  );
}

function Code({ words, onFound }: { words: Words; onFound: (device: Device) => void }) {
  const [code, setCode] = useState(() => decodeURIComponent(location.hash.slice(1)));
  const [isWrong, setWrong] = useState(false);
  const { run, isRunning, problem } = useAction();
  const look = async () => {
    const isCode = form.test(code.trim());
    setWrong(!isCode);
    if (!isCode || isRunning) return;
    const found = await run(() =>
      api.post<"look_at_device">("/api/v1/auth/device/look", { user_code: code.trim() }),
    );
    if (found) onFound(found);
  };
  // A link saves the typing, and decides nothing. Its code leaves the address, so that another one can be entered.
  useEffect(() => {
    if (!location.hash) return;
    history.replaceState(null, "", location.pathname);
    void look();
  }, []);
  const isUnknown = problem?.code === 40400;
  return (
    <form
      class="card narrow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void look();
      }}
    >
      <Field
        label={words.userCode}
        hint={words.codeHint}
        value={code}
        onValue={setCode}
        wrong={isWrong && words.codeWrong}
        autocomplete="off"
        maxLength={20}
        size={12}
      />
      {isUnknown ? (
        <div role="alert">
          <Note look="warn">
            <strong>{words.noCode}</strong>
            <p>{words.noCodeLead}</p>
          </Note>
        </div>
      ) : (
        <ProblemNote problem={problem} />
      )}
      <div class="row">
        <Button type="submit" look="main" isBusy={isRunning}>
          {words.look}
        </Button>
      </div>
    </form>
  );
}

interface DecisionProps {
  words: Words;
  device: Device;
  onDecided: (isAllowed: boolean) => void;
  onOther: () => void;
}

function Decision({ words, device, onDecided, onOther }: DecisionProps) {
  const who = account.value;
  const [mode, setMode] = useState<BillingMode>(() => (who ? usualMode(who, Date.now()) : "payg"));
  const [project, setProject] = useState("");
  const { run, isRunning, problem } = useAction();
  const decide = async (approve: boolean) => {
    const { id, user_code } = device;
    const choice = approve
      ? { billing_mode: mode, ...(project.trim() && { project_id: project.trim() }) }
      : {};
    const done = await run(() =>
      api.post<"decide_device">("/api/v1/auth/device/decide", { id, user_code, approve, ...choice }),
    );
    if (done) onDecided(done.approved);
  };
  const modes = [
    { value: "payg", name: words.payg, isDisabled: who?.wallet === null },
    { value: "subscription", name: words.subscription, isDisabled: who?.plan === null },
  ] as const;
  return (
    <Section title={words.asks(device.client)}>
      <div class="card narrow">
        <FactList
          facts={[
            [words.shown, <code>{device.user_code}</code>],
            [words.client, <span title={device.label}>{device.client}</span>],
            [words.machine, device.machine],
            [words.address, device.ip],
            [words.asked, second(device.created_at)],
            [words.organization, who?.organization.name],
            [words.person, who && callName(who.user)],
          ]}
        />
        {!device.same_network && <Note look="warn">{words.otherNetwork}</Note>}
        <Note look="warn">{words.care}</Note>
        <Choice<BillingMode> label={words.modeLabel} options={modes} value={mode} onValue={setMode} />
        <Field
          label={words.project}
          hint={words.projectHint}
          isOptional
          value={project}
          onValue={setProject}
          maxLength={128}
          autocomplete="off"
        />
        <ProblemNote problem={problem} />
        <div class="row">
          <Button look="main" isBusy={isRunning} onPress={() => void decide(true)}>
            {words.allow}
          </Button>
          <Button isDisabled={isRunning} onPress={() => void decide(false)}>
            {words.refuse}
          </Button>
          <Button look="quiet" isDisabled={isRunning} onPress={onOther}>
            {words.otherCode}
          </Button>
        </div>
      </div>
    </Section>
  );
}
