/** The operator's command on how an organization's people sign in: the way back in where its provider is lost. */
import { releaseSignOn } from "#shared/edges/console/operations/sign-on-release.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { createConnections } from "#shared/edges/store/identity/connections.ts";
import { createDirectories } from "#shared/edges/store/identity/directories.ts";
import { createDomains } from "#shared/edges/store/identity/domains.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { auditEntry } from "#shared/people/identity/audit.ts";
import { byOperator } from "#shared/people/orders/deps.ts";
import { isProved } from "#shared/people/sign-on/domain.ts";
import { type CommandCall, command, flag, onOff } from "./command.ts";
import { id, sample } from "./organization-change.ts";
import { organizationOf, storesOf } from "./stores.ts";

/** `org sign-on`. */
export const signOn = command({
  words: "org sign-on",
  what: "shows how people sign in by the organization's own identity provider, lets them in another way again, or releases a person's sign-in",
  more: "With --optional owners sign in by a code again. With --release the next sign-in of a person whom SCIM has provisioned links them anew, and what they have by the provider ends. The connection and its domains stay. No secret is shown.",
  operands: [id],
  flags: {
    optional: onOff("the provider is no longer the only way in"),
    release: flag("USER", "the id of a person, usr_…, whose account at the provider was made anew"),
  },
  examples: {
    [sample]: "the connection and the domains of one organization",
    [`${sample} --optional`]: "the way back in, where its provider is lost",
    [`${sample} --release usr_01M81Z5H5K9AHWPQ118FTWPX14`]: "the next sign-in of one person links them anew",
  },
  run: async (call) => ({ value: await show(call, call.flags) }),
});

interface Wanted {
  optional: boolean;
  release: string | undefined;
}

async function show(call: Pick<CommandCall, "place" | "operand">, { optional: isOptional, release }: Wanted) {
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
  if (release !== undefined) await releaseOne(stores, own, release);
  const [connection, claims] = await Promise.all([
    createConnections(aws, tables).read(own),
    createDomains(aws, tables).list(own),
  ]);
  const { issuer = null, client_id = null, default_role = null } = connection ?? {};
  const rules = connection?.rules.map(({ group, role, projects = [] }) => ({ group, role, projects })) ?? [];
  const domains = claims.map((claim) => ({
    domain: claim.domain,
    proved: isProved(claim, stores.now()),
  }));
  return {
    id: own,
    name,
    required: wasRequired && !isOptional,
    issuer,
    client_id,
    rules,
    default_role,
    domains,
  };
}

/** Releases the sign-in of one person, as an owner may in the console. */
async function releaseOne(
  { connection: { aws, tables }, accounts, now }: Awaited<ReturnType<typeof storesOf>>,
  organization: string,
  user: string,
): Promise<void> {
  const by = { actor: { user: byOperator, organization: { id: organization } }, request: undefined };
  await releaseSignOn(by, user, {
    ...{ accounts, now },
    directories: createDirectories(aws, tables),
    members: createMembers(aws, tables),
    sessions: createSessions(aws, tables),
    auditedKeys: createAuditedKeys(aws, tables),
    log: () => {},
  });
}
