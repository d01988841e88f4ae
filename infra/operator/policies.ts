/** The operator's commands on the policies of an organization's levels. */

import { type LevelPolicy, policyLevels } from "#shared/books/accounts/policy.ts";
import {
  policyFacts,
  readPolicyWanted,
  showLevelPolicies,
  withPolicy,
} from "#shared/edges/api/level-policies.ts";
import { writeLine } from "./audit-lines.ts";
import { choice, command, flag, needed } from "./command.ts";
import { id, sample } from "./organization-change.ts";
import { givenPolicy, policyFlags } from "./policy-flags.ts";
import { organizationOf, storesOf } from "./stores.ts";

const shown = (rows: readonly LevelPolicy[]) => ({ value: showLevelPolicies(rows) });

/** `org policies`. */
export const policies = command({
  words: "org policies",
  what: "lists what the calls of the organization, its projects and its members may do",
  operands: [id],
  flags: {},
  examples: { [sample]: "all policies of one organization" },
  async run(call) {
    const { policies: rows = [] } = await organizationOf(await storesOf(call), call.operand);
    return shown(rows);
  },
});

/** `org policy`. */
export const policy = command({
  words: "org policy",
  what: "changes what the calls of one level may do",
  more: "Rules that are not given stay. Without any rule the level has no policy any more. Calls go by the change within half a minute. key change has the same rules for a key.",
  operands: [id],
  flags: {
    level: needed(choice(policyLevels, "whose calls it bounds")),
    of: flag("NAME", "the project's name or the member's id, at those levels"),
    ...policyFlags,
  },
  examples: {
    [`${sample} --level project --of search --models openai/*,claude-haiku-* --max-output-tokens 4096`]:
      "these models alone, and answers of 4,096 tokens",
    [`${sample} --level organization --aliases none`]: "no aliases any more",
    [`${sample} --level project --of search`]: "no policy of the project",
  },
  async run(call) {
    const { level, of } = call.flags;
    const given = givenPolicy(call.flags);
    const wanted = readPolicyWanted({ level, id: of, policy: given ?? null });
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.operand);
    const before = organization.policies;
    const rows = withPolicy(before ?? [], wanted);
    if (!(await stores.accounts.setRows(organization.id, "policies", { before, after: rows })))
      throw new Error("somebody else changed the policies at the same time: repeat the command");
    const facts = { before: policyFacts(before ?? [], wanted), after: policyFacts(rows, wanted) };
    await writeLine(organization, { kind: "policy_changed", ...facts }, stores);
    return shown(rows);
  },
});
