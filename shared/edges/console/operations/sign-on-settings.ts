/** What owners set for signing in by their organization's provider (people/sign-on/README.md "The connection"). */
import { invalidState } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField, isAbsent, optionalString } from "../../../base/json/fields.ts";
import { rfc3339 } from "../../../books/billing/instant.ts";
import type { AuditFacts } from "../../../people/identity/audit.ts";
import type { Caller } from "../../../people/identity/caller.ts";
import { signOnLimits } from "../../../people/sign-on/bounds.ts";
import {
  admissions,
  type GivenRole,
  givenRoles,
  type SignOnConnection,
  sealSecret,
} from "../../../people/sign-on/connection.ts";
import { isSandbox } from "../../../people/sign-on/provider-fetch.ts";
import type { ConsoleBody, ConsoleSchema } from "../../openapi/route-types.ts";
import { type FieldsOf, readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { changedMeanwhile, entryOf, writeChanges } from "./organization-members.ts";
import type { SignOnDeps } from "./sign-on-deps.ts";
import { domainObject, hasDomain } from "./sign-on-domains.ts";
import { clientOf, failedAt, noConnection, redirectUri } from "./sign-on-entering.ts";
import { checkProjects, projectsNamed, readRules } from "./sign-on-rules.ts";

const names = [
  ...["issuer", "client_id", "client_secret", "scope", "admits"],
  ...["groups_claim", "rules", "default_role", "required"],
] as (keyof ConsoleBody<"change_sign_on">)[];
type Given = FieldsOf<keyof ConsoleBody<"change_sign_on">>;

/** `GET /api/v1/sign-on`. */
export async function showSignOn(call: ConsoleCall, deps: SignOnDeps) {
  readQuery(call.request.query, {});
  const { organization } = callerOf(call);
  const [connection, claims] = await Promise.all([
    deps.connections.read(organization.id),
    deps.domains.list(organization.id),
  ]);
  return jsonReply({
    object: "sign_on",
    redirect_uri: redirectUri(call.request, organization.id),
    required: organization.sign_on === "required",
    connection: connection ? connectionObject(connection) : null,
    domains: claims.map((claim) => domainObject(claim, deps.now())),
  });
}

/** `PATCH /api/v1/sign-on`: sets the connection, what is given of it, and whether it is the only way in. */
export async function changeSignOn(call: ConsoleCall, deps: SignOnDeps) {
  const { organization } = callerOf(call);
  const fields = readFields(call.request, names);
  const { required } = fields;
  if (!isAbsent(required) && typeof required !== "boolean") throw invalidField("required", "a boolean");
  const before = await deps.connections.read(organization.id);
  const isAbout = names.some((name) => name !== "required" && fields[name] !== undefined);
  const connection = isAbout ? await changed(call, fields, before, deps) : before;
  if (!connection) throw noConnection();
  if (typeof required === "boolean") await demand(call, { required, connection }, deps);
  const isRequired = required ?? organization.sign_on === "required";
  return await showSignOn(
    {
      ...call,
      caller: {
        ...callerOf(call),
        organization: { ...organization, sign_on: isRequired ? "required" : "optional" },
      },
    },
    deps,
  );
}

/** `DELETE /api/v1/sign-on`. People whom the provider has signed in find no way in until it is set again. */
export async function removeSignOn(call: ConsoleCall, deps: SignOnDeps) {
  const { organization } = callerOf(call);
  readFields(call.request, []);
  requireOtherWay(callerOf(call));
  const connection = await deps.connections.read(organization.id);
  if (!connection) throw noConnection();
  const before = factsOf(connection);
  const entry = entryOf(call, { kind: "sign_on_removed", subject: organization.id, before }, deps);
  if (!(await deps.connections.remove(connection, entry))) throw changedMeanwhile();
  return jsonReply({ id: organization.id, object: "sign_on", deleted: true });
}

/** With another provider, or none, nobody may be sure to come in: so there has to be another way. */
function requireOtherWay({ organization }: Pick<Caller, "organization">): void {
  if (organization.sign_on === "required")
    throw invalidState("The provider is the only way in. Allow other ways first.", "sign_on_required");
}

/** Stores the connection as it is with these fields, once its provider has answered for it. */
async function changed(
  call: ConsoleCall,
  fields: Given,
  before: SignOnConnection | undefined,
  deps: SignOnDeps,
): Promise<SignOnConnection> {
  const connection = await connectionWith(call, fields, before, deps);
  await checkProjects(callerOf(call).organization, connection.rules, before?.rules ?? [], deps);
  const isAnother = connection.issuer !== before?.issuer || connection.client_id !== before.client_id;
  if (isAnother) requireOtherWay(callerOf(call));
  if (connection.issuer !== before?.issuer || !isAbsent(fields.client_secret)) {
    const { checkProvider } = await import("../../../people/sign-on/provider.ts");
    const client = await clientOf(connection, deps);
    await checkProvider(client, deps.fetching).catch(failedAt(connection, deps));
  }
  const facts = { ...(before && { before: factsOf(before) }), after: factsOf(connection) };
  const entry = entryOf(call, { kind: "sign_on_changed", subject: connection.organization, ...facts }, deps);
  if (!(await deps.connections.save(connection, before, entry, isAnother))) throw changedMeanwhile();
  return connection;
}

async function connectionWith(
  call: ConsoleCall,
  fields: Given,
  before: SignOnConnection | undefined,
  deps: SignOnDeps,
): Promise<SignOnConnection> {
  const { id: organization, sign_on_since } = callerOf(call).organization;
  const { current } = await deps.keys();
  const issuer = readIssuer(fields, deps) ?? before?.issuer;
  const client_id = readText(fields, "client_id", signOnLimits.clientIdCharsMax) ?? before?.client_id;
  const secret = readText(fields, "client_secret", signOnLimits.clientSecretCharsMax);
  if (issuer === undefined) throw invalidField("issuer", "an address such as https://id.example.com");
  if (client_id === undefined) throw invalidField("client_id", "a non-empty string");
  // The secret of one issuer is never sent to another one.
  const isSame = issuer === before?.issuer;
  if (secret === undefined && !isSame) throw invalidField("client_secret", "given with a new issuer");
  const sealed = secret === undefined ? undefined : sealSecret(secret, organization, current);
  const { secret_box = "", secret_version = 0 } = sealed ?? before ?? {};
  return {
    ...{ organization, issuer, client_id, secret_box, secret_version },
    scope: readScope(fields) ?? before?.scope ?? "openid email profile",
    admits: readOneOf(fields, "admits", admissions) ?? before?.admits ?? "domain",
    groups_claim:
      readText(fields, "groups_claim", signOnLimits.claimCharsMax) ?? before?.groups_claim ?? "groups",
    rules: readRules(fields) ?? before?.rules ?? [],
    default_role: readDefaultRole(fields, before),
    // Its version, too: of two changes within a millisecond the second one is later.
    changed_at: Math.max(deps.now(), before ? before.changed_at + 1 : (sign_on_since ?? 0)),
  };
}

/** An owner makes the provider the only way in only by a session that came by it, as it is now: so the way is there. */
async function demand(
  call: ConsoleCall,
  { required, connection }: { required: boolean; connection: SignOnConnection },
  deps: SignOnDeps,
): Promise<void> {
  const { organization, session } = callerOf(call);
  const sign_on = required ? "required" : "optional";
  if (required === (organization.sign_on === "required")) return;
  const hasCome = session.sign_on === organization.id && session.connection_at === connection.changed_at;
  if (required && !hasCome)
    throw invalidState("Sign in by the provider yourself first.", "sign_on_own_session");
  // A sign-in begins with an address in a proved domain.
  if (required && !(await hasDomain(organization.id, undefined, deps)))
    throw invalidState("Prove a domain of your people first.", "sign_on_domain");
  const kind = required ? "sign_on_required" : "sign_on_optional";
  const entries = [entryOf(call, { kind, subject: organization.id }, deps)];
  await writeChanges({ organization, sign_on, entries }, deps);
}

function readText(fields: Given, name: keyof Given, most: number): string | undefined {
  const text = optionalString(fields, name)?.trim();
  if (text === undefined) return undefined;
  if (text === "" || text.length > most || /\p{C}/u.test(text))
    throw invalidField(name, `1 to ${most} characters without control characters`);
  return text;
}

/** An issuer over TLS, without anything that OpenID Connect does not let it have. */
function readIssuer(fields: Given, { fetching }: SignOnDeps): string | undefined {
  const text = readText(fields, "issuer", signOnLimits.issuerCharsMax);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url && (url.protocol === "https:" || isSandbox(url, fetching));
  const isPlain = url && url.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (isSafe && isPlain) return text;
  throw invalidField("issuer", "an address such as https://id.example.com, without a query");
}

function readScope(fields: Given): string | undefined {
  const scope = readText(fields, "scope", signOnLimits.scopeCharsMax);
  const isScope = scope === undefined || scope.split(" ").includes("openid");
  if (!isScope) throw invalidField("scope", "scopes with spaces between them, `openid` among them");
  return scope;
}

function readOneOf<const Name extends string>(
  fields: Given,
  name: keyof Given,
  values: readonly Name[],
): Name | undefined {
  const given = optionalString(fields, name);
  const found = values.find((each) => each === given);
  if (given !== undefined && !found) throw invalidField(name, `one of ${values.join(", ")}`);
  return found;
}

/** Null says that nobody comes in without a group. Absent says nothing. */
function readDefaultRole(fields: Given, before: SignOnConnection | undefined): GivenRole | null {
  if (fields.default_role === null) return null;
  return readOneOf(fields, "default_role", givenRoles) ?? (before ? before.default_role : "member");
}

/** What the audit log tells of a connection. */
function factsOf({ issuer, client_id, admits, default_role, rules }: SignOnConnection): AuditFacts {
  const projects = projectsNamed(rules).length;
  return { issuer, client_id, admits, default_role, rules: rules.length, projects };
}

/** A connection as the interface shows it, without its secret. */
function connectionObject(connection: SignOnConnection): ConsoleSchema<"Connection"> {
  const { issuer, client_id, scope, admits, groups_claim, rules, default_role, changed_at } = connection;
  return {
    ...{ issuer, client_id, scope, admits, groups_claim, rules, default_role },
    changed_at: rfc3339(changed_at),
  };
}
