/** What the calls of an organization, its projects, members and keys may do. */
import type { ApiKey, Member } from "../../../api-types.ts";
import { useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { LevelSheet } from "../../../parts/level-sheet.tsx";
import { PolicyRules } from "../../../parts/policy-rules.tsx";
import { may } from "../../../session.ts";
import { GivePolicy } from "./give-policy.tsx";
import { changePolicy, heldPolicies } from "./held.ts";

type Words = typeof import("./en.ts").words;

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
  const reload = () => {
    policies.reload();
    onChanged?.();
  };
  return (
    <LevelSheet
      {...{ words, isManaged }}
      of={policies}
      rowsOf={({ data }) => heldPolicies(data, keys)}
      named={[...members, ...keys]}
      columns={[[words.rulesTitle, (row) => <PolicyRules words={words} policy={row.policy} />]]}
      form={(held, onClose) => <GivePolicy {...{ words, members, keys, held, onClose }} onDone={reload} />}
      take={async (held) => {
        await changePolicy(held, null);
        reload();
      }}
    />
  );
}
