/** The operator's command on how an organization's people sign in: the way back in where its provider is lost. */
import { createConnections } from "#shared/edges/store/identity/connections.ts";
import { createDomains } from "#shared/edges/store/identity/domains.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import { auditEntry } from "#shared/people/identity/audit.ts";
import { byOperator } from "#shared/people/orders/deps.ts";
import { isProved } from "#shared/people/sign-on/domain.ts";
import { type CommandCall, command, onOff } from "./command.ts";
import { id, sample } from "./organization-change.ts";
import { organizationOf, storesOf } from "./stores.ts";

/** `org sign-on`. */
export const signOn = command({
  words: "org sign-on",
  what: "shows how people sign in by the organization's own identity provider, or lets them in another way again",
  more: "With --optional owners sign in by a code again. The connection and its domains stay. No secret is shown.",
  operands: [id],
  flags: { optional: onOff("the provider is no longer the only way in") },
  examples: {
    [sample]: "the connection and the domains of one organization",
    [`${sample} --optional`]: "the way back in, where its provider is lost",
  },
  run: async (call) => ({ value: await show(call, call.flags.optional) }),
});

async function show(call: Pick<CommandCall, "place" | "operand">, isOptional: boolean) {
  const stores = await storesOf(call);
  const { aws, tables } = stores.connection;
  const organization = await organizationOf(stores, call.operand);
  const { id: own, name } = organization;
  const wasRequired = organization.sign_on === "required";
  if (isOptional) {
    const actor = { user: byOperator, organization: { id: own } };
    const line = auditEntry(actor, { kind: "sign_on_optional", subject: own }, byOperator.ip, stores.now());
    const changes = { organization, sign_on: "optional" as const, entries: [line] };
    const done = await createMembers(aws, tables).changeOrganization(changes);
    if (!done) throw new Error("somebody else changed the organization at the same time: repeat the command");
  }
  const [connection, claims] = await Promise.all([
    createConnections(aws, tables).read(own),
    createDomains(aws, tables).list(own),
  ]);
  const { issuer = null, client_id = null } = connection ?? {};
  const domains = claims.map((claim) => ({
    domain: claim.domain,
    proved: isProved(claim, stores.now()),
  }));
  return { id: own, name, required: wasRequired && !isOptional, issuer, client_id, domains };
}
