/** What the calls of an organization, its projects, members and keys may do. */
import { useState } from "preact/hooks";
import type { ApiKey, Member } from "../../../api-types.ts";
import { useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty } from "../../../parts/note.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table, type TableColumn } from "../../../parts/table.tsx";
import { ruleNames, textsOf } from "../../../policy-form.ts";
import { may } from "../../../session.ts";
import { GivePolicy } from "./give-policy.tsx";
import { changePolicy, type HeldPolicy, heldPolicies } from "./held.ts";

type Words = typeof import("./en.ts").words;

type OpenDialog = { what: "give"; held?: HeldPolicy } | { what: "take"; held: HeldPolicy };

/** Only who manages members may read who they are, and manages all keys. */
export function Page({ words }: PageProps<Words>) {
  return may("manage_members") ? (
    <Managed words={words} />
  ) : (
    <Policies words={words} members={[]} keys={[]} />
  );
}

function Managed({ words }: { words: Words }) {
  const members = useRead<"list_members">("/api/v1/members");
  const keys = useRead<"list_keys">("/api/v1/keys?limit=100");
  const usable = (keys.value?.data ?? []).filter(({ status }) => status !== "revoked");
  return (
    <Policies
      words={words}
      members={members.value?.data ?? []}
      keys={usable}
      onChanged={keys.reload}
      isManaged
    />
  );
}

interface PoliciesProps {
  words: Words;
  members: readonly Member[];
  keys: readonly ApiKey[];
  onChanged?: () => void;
  isManaged?: boolean;
}

function Policies({ words, members, keys, onChanged, isManaged = false }: PoliciesProps) {
  const policies = useRead<"list_policies">("/api/v1/policies");
  const [asked, setAsked] = useState<OpenDialog>();
  const close = () => setAsked(undefined);
  const reload = () => {
    policies.reload();
    onChanged?.();
  };
  const nameOf = ({ level, id }: HeldPolicy): string => {
    const known = [...members, ...keys].find((each) => each.id === id);
    const name = known?.name || id;
    return name ? `${words.levels[level]} ${name}` : words.levels[level];
  };
  const give = isManaged && (
    <Button look="main" icon="plus" onPress={() => setAsked({ what: "give" })}>
      {words.give}
    </Button>
  );
  return (
    <Sheet lead={words.lead} actions={give}>
      <Loaded of={policies} lines={4}>
        {({ data }) => {
          const rows = heldPolicies(data, keys);
          if (rows.length === 0) return <Empty title={words.noPolicies}>{words.noPoliciesLead}</Empty>;
          return (
            <Table
              caption={pageTitle()}
              rows={rows}
              keyOf={({ level, id }) => `${level} ${id}`}
              columns={[
                [words.whose, (row) => nameOf(row)],
                [words.rulesTitle, (row) => <Rules words={words} held={row} />],
                ...(isManaged ? [changes(words, nameOf, setAsked)] : []),
              ]}
            />
          );
        }}
      </Loaded>
      {asked?.what === "give" && (
        <GivePolicy
          words={words}
          members={members}
          keys={keys}
          held={asked.held}
          onClose={close}
          onDone={reload}
        />
      )}
      {asked?.what === "take" && (
        <Confirm
          title={words.takeOf(nameOf(asked.held))}
          action={words.takeAway}
          onClose={close}
          act={async () => {
            await changePolicy(asked.held, null);
            reload();
          }}
        >
          {words.takeLead}
        </Confirm>
      )}
    </Sheet>
  );
}

function changes(
  words: Words,
  nameOf: (row: HeldPolicy) => string,
  onAsk: (asked: OpenDialog) => void,
): TableColumn<HeldPolicy> {
  return [
    words.change,
    (held) => (
      <div class="row end">
        <Button isSmall label={words.changeOf(nameOf(held))} onPress={() => onAsk({ what: "give", held })}>
          {words.change}
        </Button>
        <Button isSmall label={words.takeOf(nameOf(held))} onPress={() => onAsk({ what: "take", held })}>
          {words.takeAway}
        </Button>
      </div>
    ),
  ];
}

function Rules({ words, held: { policy } }: { words: Words; held: HeldPolicy }) {
  const texts = textsOf(policy);
  return (
    <>
      {ruleNames
        .filter((name) => policy[name] !== undefined)
        .map((name) => (
          <p key={name}>
            <span class="faint">{words.rules[name]}</span>{" "}
            {texts[name] === "none" ? words.nothing : texts[name]}
          </p>
        ))}
    </>
  );
}
