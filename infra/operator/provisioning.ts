/** The operator's command on SCIM: whether a provider provisions an organization's people, and the end of its token. */

import { rfc3339 } from "#shared/books/billing/instant.ts";
import { createDirectories } from "#shared/edges/store/identity/directories.ts";
import { auditEntry } from "#shared/people/identity/audit.ts";
import { byOperator } from "#shared/people/orders/deps.ts";
import { type CommandCall, command, onOff } from "./command.ts";
import { id, sample } from "./organization-change.ts";
import { organizationOf, storesOf } from "./stores.ts";

/** `org provisioning`. */
export const provisioning = command({
  words: "org provisioning",
  what: "shows whether the organization's identity provider provisions people by SCIM, or ends its token",
  more: "With --off the provider's calls are refused from the next one on. Whom it has provisioned stays. No token is shown.",
  operands: [id],
  flags: { off: onOff("the token of the provider ends") },
  examples: {
    [sample]: "the token, the last call, and how many people and groups there are",
    [`${sample} --off`]: "the end of a token that somebody has stolen",
  },
  run: async (call) => ({ value: await show(call, call.flags.off) }),
});

async function show(call: Pick<CommandCall, "place" | "operand">, isOff: boolean) {
  const stores = await storesOf(call);
  const { aws, tables } = stores.connection;
  const { id: own, name } = await organizationOf(stores, call.operand);
  const directories = createDirectories(aws, tables);
  const { token, called_at, people } = await directories.read(own);
  if (isOff && token) {
    const actor = { user: byOperator, organization: { id: own } };
    const change = { kind: "provisioning_token_removed", subject: own, before: { token: token.id } } as const;
    const line = auditEntry(actor, change, byOperator.ip, stores.now());
    const isDone = await directories.setToken(own, { before: token, token: null }, line);
    if (!isDone) throw new Error("somebody else changed the token at the same time: repeat the command");
  }
  const { list } = await directories.groups(own);
  return {
    ...{ id: own, name, token: isOff ? null : (token?.id ?? null) },
    token_made_at: isOff || !token ? null : rfc3339(token.made_at),
    called_at: called_at === null ? null : rfc3339(called_at),
    ...{ people, groups: list.length },
  };
}
