/** The passkeys of the reader: what signs them in without a code. */
import { useState } from "preact/hooks";
import { away, day, minute } from "../../../format.ts";
import { useAction, useRead } from "../../../load.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { ProblemNote } from "../../../parts/note.tsx";
import { Section } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { addPasskey, hasPasskeys } from "../../../passkeys.ts";
import { api } from "../../../session.ts";
import { browserIn } from "./browser-words.ts";
import { useEnding } from "./use-ending.ts";

type Words = typeof import("./en.ts").words;

export function Passkeys({ words }: { words: Words }) {
  const passkeys = useRead<"list_passkeys">("/api/v1/account/passkeys");
  const { end, ending, problem } = useEnding(
    (id) => api.remove<"remove_passkey">(`/api/v1/account/passkeys/${encodeURIComponent(id)}`),
    passkeys.reload,
  );
  return (
    <Section title={words.passkeys} lead={words.passkeysLead}>
      <ProblemNote problem={problem} />
      <Loaded of={passkeys} lines={1}>
        {({ data }) =>
          data.length > 0 && (
            <Table
              caption={words.passkeys}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                [words.passkey, ({ name }) => name],
                [words.where, ({ synced }) => (synced ? words.synced : words.oneDevice), "wide"],
                [words.since, ({ created_at }) => day(created_at), "wide"],
                [
                  words.used,
                  ({ used_at }) =>
                    used_at ? <span title={minute(used_at)}>{away(used_at, Date.now())}</span> : "–",
                ],
                [
                  words.removePasskey,
                  ({ id, name }) => (
                    <Button
                      isSmall
                      isBusy={ending === id}
                      label={words.removePasskeyOf(name)}
                      onPress={() => void end(id)}
                    >
                      {words.removePasskey}
                    </Button>
                  ),
                  "acts",
                ],
              ]}
            />
          )
        }
      </Loaded>
      {hasPasskeys && <AddPasskey words={words} onAdded={passkeys.reload} />}
    </Section>
  );
}

function AddPasskey({ words, onAdded }: { words: Words; onAdded: () => void }) {
  const [name, setName] = useState(() => browserIn(words, navigator.userAgent));
  const { run, isRunning, problem } = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning || name.trim() === "") return;
    await run(async () => {
      await addPasskey(name.trim());
      onAdded();
    });
  };
  return (
    <form class="card narrow stack" onSubmit={submit} noValidate>
      <Field
        label={words.passkeyName}
        hint={words.passkeyHint}
        value={name}
        onValue={setName}
        maxLength={64}
      />
      <ProblemNote problem={problem} />
      <div class="row">
        <Button type="submit" isBusy={isRunning} isDisabled={name.trim() === ""}>
          {words.addPasskey}
        </Button>
      </div>
    </form>
  );
}
