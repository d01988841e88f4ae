/** Members of organizations on the embedded DynamoDB, and the console's routes as they ask them. */

import type { Aws } from "#shared/base/platform/aws.ts";
import { type Send, TransportError } from "#shared/base/platform/http-call.ts";
import { newId } from "#shared/base/platform/id.ts";
import { type Peppers, peppersOf, readPeppers } from "#shared/base/platform/pepper.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import type { ConsoleAnswers, ConsoleRequest } from "#shared/edges/console/call.ts";
import {
  type OrganizationAnswerDeps,
  organizationAnswers,
} from "#shared/edges/console/operations/organization.ts";
import { type WebhookDeps, webhookAnswers } from "#shared/edges/console/operations/webhooks.ts";
import { createConsole } from "#shared/edges/console/pipeline.ts";
import type { NewsDeps } from "#shared/edges/jobs/tell-news.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { userKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { absent } from "#shared/edges/store/dynamodb/expressions.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import { put, transact } from "#shared/edges/store/dynamodb/transaction.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { createAuditedBudgets } from "#shared/edges/store/identity/audited-budgets.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { createAuditedProjects } from "#shared/edges/store/identity/audited-projects.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { createDirectories } from "#shared/edges/store/identity/directories.ts";
import { createInvitations } from "#shared/edges/store/identity/invitations.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import { membershipWrites } from "#shared/edges/store/identity/membership.ts";
import { newSession } from "#shared/edges/store/identity/sessions.ts";
import { ownClaim } from "#shared/edges/store/identity/users.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createDeliveries, createNewsLines } from "#shared/edges/store/news/deliveries.ts";
import { createWebhooks } from "#shared/edges/store/news/webhooks.ts";
import { type Contact, contactKinds, contactName, sealContact } from "#shared/people/identity/contact.ts";
import { identify } from "#shared/people/identity/identify.ts";
import { createIdentityKeys, keysOf } from "#shared/people/identity/identity-keys.ts";
import type { SessionRecord } from "#shared/people/identity/session.ts";
import { type AccessClaims, signAccessToken } from "#shared/people/identity/session-token.ts";
import type { Membership, Role, User } from "#shared/people/identity/user.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { noon } from "./store.ts";

const catalog = createCatalog(catalogFile as unknown as Catalog);

/** The secret of accounts, and the same after a rotation. */
export const firstSecret = readPeppers("the first secret of the accounts");
export const rotatedSecret = peppersOf({ version: 2, value: "the second one" }, firstSecret.current);

/** Somebody who is signed in: what a test knows of them. */
export interface Person {
  user: User;
  session: SessionRecord;
  phone: string;
  /** An access token for an organization. */
  token(organization: Organization): Promise<string>;
}

/** Where people and organizations are kept: the tables of a test, or of a local gateway. */
interface Database {
  aws: Aws;
  tables: Pick<TableNames, "accounts" | "keys" | "counters" | "ledger">;
}

/** An answer, with its body as a value. */
interface MemberAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at fields that they know.
  body: any;
}

/** What may be changed of the console over the stores of a test. */
type MembersOptions = Partial<OrganizationAnswerDeps> & { secret?: Peppers; send?: Send };

/** Where no test has a receiver, nothing is reached. */
const nobody: Send = async () => {
  throw new TransportError("connect", new Error("nobody is there"));
};

let last = 0;

/** Makes organizations and people at the time of a clock, as signing up and accepting leave them. */
function makers({ aws, tables }: Database, clock: { now: number }, secret: { known: Peppers }) {
  const newOrganization = async (fields: Partial<Organization> = {}): Promise<Organization> => {
    const organization: Organization = {
      id: newId("organization", clock.now),
      name: "Acme",
      status: "active",
      subscription: null,
      wallet: { meter: newId("meter", clock.now), shards: 1 },
      permissions: [],
      created_at: clock.now,
      ...fields,
    };
    await createMeters(aws, tables).open(organization.wallet?.meter ?? "", 0, "payg");
    await createAccounts(aws, tables).createOrganization(organization);
    return organization;
  };

  /** Somebody with an account, who is a member of no organization yet. */
  const newPerson = async (name = "Ann"): Promise<Person> => {
    const [id, at] = [newId("user", clock.now), clock.now];
    last += 1;
    const phone = `+86139${String(last).padStart(8, "0")}`;
    const contact: Contact = { kind: "phone", text: phone };
    const { current } = keysOf(secret.known);
    const own = newId("organization", at);
    const user: User = {
      ...{ id, name, locale: "en", status: "active", organization: own, created_at: at },
      ...sealContact(contact, id, current),
    };
    const session: SessionRecord = {
      ...{ id: newId("session", at), user: id, generation: 1, refreshed_at: at, created_at: at },
      ...{ label: "test", ip: "203.0.113.7", ended_at: null, organization: own },
    };
    const stored = put(tables.accounts, { ...userKey(id), ...toItem(user) }, [absent("pk")]);
    const claim = ownClaim(tables.accounts, contactName(contact, current), id);
    await transact(aws, [stored, claim, newSession(tables.accounts, session)]);
    const token = async ({ id: organization }: Organization, role: Role = "member") =>
      await signAccessToken({ user: id, session: session.id, organization, role }, clock.now, current);
    return { user, session, phone, token };
  };

  /** Somebody who is a member of an organization with this role. */
  const newMember = async ({ id }: Pick<Organization, "id">, role: Role, name?: string): Promise<Person> => {
    const person = await newPerson(name);
    await join(person, id, role);
    return person;
  };

  const join = async ({ user }: Person, organization: string, role: Role): Promise<void> => {
    const membership: Membership = { user: user.id, organization, role, since: clock.now };
    await transact(aws, membershipWrites(tables, membership));
  };

  /** An access token of a session that something else has made. */
  const tokenOf = (claims: AccessClaims): Promise<string> =>
    signAccessToken({ ...claims, role: "member" }, clock.now, keysOf(secret.known).current);

  return { newOrganization, newPerson, newMember, join, tokenOf };
}

/** One process of the console. `clock.now` is its time, and `secret.known` what it knows of the accounts' secret. */
export function openMembers(db: Database, { secret: first, send = nobody, ...changes }: MembersOptions = {}) {
  const { aws, tables } = db;
  const clock = { now: noon };
  const secret = { known: first ?? firstSecret };
  const lines: { level: string; event: string; fields: object }[] = [];
  const now = () => clock.now;
  const deps: OrganizationAnswerDeps = {
    members: createMembers(aws, tables),
    invitations: createInvitations(aws, tables),
    directories: createDirectories(aws, tables),
    auditLog: createAuditLog(aws, tables),
    auditedKeys: createAuditedKeys(aws, tables),
    auditedBudgets: createAuditedBudgets(aws, tables),
    auditedProjects: createAuditedProjects(aws, tables),
    ledger: createLedger(aws, tables),
    accounts: createAccounts(aws, tables),
    meters: createMeters(aws, tables),
    keys: createIdentityKeys(async () => secret.known),
    contacts: { kinds: contactKinds, countries: ["+86"] },
    peppers: async () => readPeppers("pepper"),
    catalog,
    sealing: undefined,
    send,
    plan: catalog.plan,
    log: (level, event, fields = {}) => void lines.push({ level, event, fields }),
    now,
    ...changes,
  };
  const news: WebhookDeps & NewsDeps = {
    webhooks: createWebhooks(aws, tables),
    deliveries: createDeliveries(aws, tables),
    lines: createNewsLines(aws, tables),
    auditLog: deps.auditLog,
    localHosts: [],
    members: deps.members,
    mail: undefined,
    events: undefined,
    ...{ keys: deps.keys, send, log: deps.log, now },
  };
  const callers = createCallers(aws, tables);
  const answers = { ...organizationAnswers(deps), ...webhookAnswers(news) };
  const serve = createConsole(answers as unknown as ConsoleAnswers, {
    log: deps.log,
    identify: (request) => identify(request, { keys: deps.keys, callers, now }),
    asset: async () => undefined,
  });

  /** Asks a route such as `GET /api/v1/members?limit=1` as somebody, for one organization. */
  const ask = async (
    [person, organization]: [Person, Organization],
    route: string,
    body?: object | string,
  ): Promise<MemberAnswer> => {
    const text = typeof body === "object" ? JSON.stringify(body) : (body ?? "");
    const headers = { authorization: `Bearer ${await person.token(organization)}` };
    const reply = await serve(requestOf(route, text, headers, clock));
    return { status: reply.status, body: JSON.parse(String(reply.body)) };
  };

  /** Asks a route as somebody who is not signed in, with a form. */
  const visit = async (route: string, form = "") => {
    const { status, headers, body } = await serve(requestOf(route, form, formHeaders, clock));
    return { status, headers, text: String(body) };
  };

  return { ask, visit, ...makers(db, clock, secret), clock, secret, lines, deps, news };
}

const formHeaders = { "content-type": "application/x-www-form-urlencoded" };

/** A request to a route such as `GET /api/v1/members?limit=1`. */
function requestOf(
  route: string,
  text: string,
  headers: ConsoleRequest["headers"],
  { now }: { now: number },
): ConsoleRequest {
  const [method = "", target = ""] = route.split(" ");
  const [path = "", query = ""] = target.split("?");
  return {
    ...{ id: newId("request", now), method, path, query: new URLSearchParams(query), headers },
    ...{ body: Buffer.from(text), received_at: now, deadline_at: now + 30_000, ip: "203.0.113.7" },
  };
}

/** The code of a refusal, as the interface shows it. */
export function codeOf({ body }: MemberAnswer): number {
  return Number(body.error?.code);
}
