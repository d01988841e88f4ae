/** Sign-on over real stores and the sandbox's provider: browsers, their cookies, and what an owner sets. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import {
  type ProviderPlay,
  sandboxClient,
  startIdentityProvider,
} from "#infra/local/sandbox/identity-provider.ts";
import { send } from "#shared/base/platform/http-client.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { ConsoleAnswers, ConsoleRequest } from "#shared/edges/console/call.ts";
import { organizationAnswers } from "#shared/edges/console/operations/organization.ts";
import { passkeyAnswers } from "#shared/edges/console/operations/passkeys.ts";
import { signInAnswers } from "#shared/edges/console/operations/sign-in.ts";
import { signOnAnswers } from "#shared/edges/console/operations/sign-on.ts";
import type { SignOnDeps } from "#shared/edges/console/operations/sign-on-deps.ts";
import { createConsole } from "#shared/edges/console/pipeline.ts";
import { userKey } from "#shared/edges/store/dynamodb/account-keys.ts";
import { toItem } from "#shared/edges/store/dynamodb/attributes.ts";
import { changeItem } from "#shared/edges/store/dynamodb/items.ts";
import { transact } from "#shared/edges/store/dynamodb/transaction.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { createConnections } from "#shared/edges/store/identity/connections.ts";
import { createDirectories } from "#shared/edges/store/identity/directories.ts";
import { createDomains } from "#shared/edges/store/identity/domains.ts";
import { createPasskeys } from "#shared/edges/store/identity/passkeys.ts";
import { createSignOns } from "#shared/edges/store/identity/sign-on.ts";
import { ownClaim } from "#shared/edges/store/identity/users.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { contactName, sealContact } from "#shared/people/identity/contact.ts";
import { identify } from "#shared/people/identity/identify.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { createReadTexts } from "#shared/people/sign-on/dns.ts";
import { firstSecret, openMembers, type Person } from "./members.ts";
import { openPeople } from "./people.ts";
import type { useStores } from "./stores.ts";

type Database = ReturnType<typeof useStores>["db"];

/** An answer, with its body as a value. */
export interface SignOnAnswer {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at fields that they know.
  body: any;
}

/** What somebody says of themselves at the provider. */
export interface Said {
  subject: string;
  verified?: boolean;
  groups?: string;
  name?: string;
}

/** Somebody signs in at the provider's page. Gives what it leads back with. */
export async function visitProvider(
  url: string,
  { subject, verified = true, groups = "", name = "" }: Said,
): Promise<Record<string, string>> {
  const at = new URL(url);
  const said = { subject, groups, name, ...(verified && { verified: "on" }) };
  for (const [key, value] of Object.entries(said)) at.searchParams.set(key, value);
  const answer = await fetch(at, { redirect: "manual" });
  const back = new URL(answer.headers.get("location") ?? "about:blank");
  const organization = back.pathname.split("/").at(-1) ?? "";
  return { organization, ...Object.fromEntries(back.searchParams) };
}

const host = "localhost:8789";
const ownPage = { "sec-fetch-site": "same-origin", host };

/** Gives a user an address as their own contact, as a code verifies it. Gives the name of its claim. */
export async function giveAddress({ aws, tables }: Database, user: string, text: string): Promise<string> {
  const contact = { kind: "email", text } as const;
  const { current } = keysOf(firstSecret);
  const claimed = contactName(contact, current);
  await transact(aws, [ownClaim(tables.accounts, claimed, user)]);
  const set = toItem(sealContact(contact, user, current));
  await changeItem(aws, { table: tables.accounts, key: userKey(user), set, when: [] });
  return claimed;
}

/** One browser: it keeps cookies by their names, and goes where it is sent. */
export interface Browser {
  cookies: Map<string, string>;
  token?: string;
}

export const newBrowser = (): Browser => ({ cookies: new Map() });

/** A console over the stores, with the sandbox's provider, which `play` changes. */
export async function openSignOn(db: Database, play: ProviderPlay = {}, changes: Partial<SignOnDeps> = {}) {
  const provider = await startIdentityProvider(play);
  const people = openPeople(db, { secret: firstSecret });
  const desk = openMembers(db);
  people.clock.now = Date.now();
  desk.clock.now = people.clock.now;
  const { aws, tables } = db;
  const deps: SignOnDeps = { ...desk.deps, ...people.deps, ...storesOf(db, provider.url), ...changes };
  const callers = createCallers(aws, tables);
  const passkeys = createPasskeys(aws, tables);
  const answers = {
    ...signInAnswers(people.deps),
    ...organizationAnswers(desk.deps),
    ...signOnAnswers(deps),
    ...passkeyAnswers({ ...people.deps, passkeys, velocity: deps.velocity }),
  };
  const serve = createConsole(answers as unknown as ConsoleAnswers, {
    log: deps.log,
    identify: (request) => identify(request, { ...people.deps, callers }),
    asset: async () => undefined,
  });

  /** Moves the time of the console. */
  const pass = (ms: number) => {
    people.clock.now += ms;
    desk.clock.now = people.clock.now;
  };

  const ask = async (
    browser: Browser,
    route: string,
    body?: object,
    headers: Record<string, string> = ownPage,
  ): Promise<SignOnAnswer> => {
    const [method = "", path = ""] = route.split(" ");
    // Each request has an instant of its own, so that lists have an order.
    pass(1);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const now = people.clock.now;
    const request: ConsoleRequest = {
      ...{ id: newId("request", now), method, path, query: new URLSearchParams(), ip: "198.51.100.7" },
      headers: {
        ...headers,
        ...(cookie && { cookie }),
        ...(browser.token !== undefined && { authorization: `Bearer ${browser.token}` }),
      },
      body: Buffer.from(body ? JSON.stringify(body) : ""),
      ...{ received_at: now, deadline_at: now + 30_000 },
    };
    const { status, headers: told, body: text } = await serve(request);
    const [, name, value] = /^([\w-]+)=([^;]*)/.exec(told["set-cookie"] ?? "") ?? [];
    if (name !== undefined && value !== undefined) browser.cookies.set(name, value);
    return { status, headers: told, body: text === "" ? undefined : JSON.parse(String(text)) };
  };

  const begin = (browser: Browser, email: string) => ask(browser, "POST /api/v1/auth/sign-on", { email });
  const finish = (browser: Browser, returned: object) =>
    ask(browser, "POST /api/v1/auth/sign-on/finish", returned);

  /** The whole way of somebody with an address, in one browser. */
  const signOn = async (browser: Browser, said: Said): Promise<SignOnAnswer> => {
    const begun = await begin(browser, said.subject);
    if (begun.status !== 200) return begun;
    const done = await finish(browser, await visitProvider(begun.body.url, said));
    if (done.status === 200) browser.token = done.body.access_token;
    return done;
  };

  const owners = ownersOf({ ask, desk, provider });

  return {
    ...{ ask, visit: visitProvider, begin, finish, signOn, ...owners },
    ...{ provider, play, deps, passkeys, desk, people, clock: people.clock, pass },
  };
}

/** The stores of sign-on, and how the sandbox is asked. */
function storesOf({ aws, tables }: Database, sandbox: string) {
  const fetching = { send, sandbox };
  return {
    connections: createConnections(aws, tables),
    domains: createDomains(aws, tables),
    signOns: createSignOns(aws, tables),
    directories: createDirectories(aws, tables),
    velocity: createVelocity(aws, tables),
    readTexts: createReadTexts(fetching),
    fetching,
  };
}

interface OwnersDeps {
  ask: (browser: Browser, route: string, body?: object) => Promise<SignOnAnswer>;
  desk: ReturnType<typeof openMembers>;
  provider: Awaited<ReturnType<typeof startIdentityProvider>>;
}

/** What owners do for their organizations. */
function ownersOf({ ask, desk, provider }: OwnersDeps) {
  /** An owner with their organization, whose session came by a code. */
  const newOwner = async (): Promise<{ organization: Organization; owner: Person; browser: Browser }> => {
    const organization = await desk.newOrganization();
    const owner = await desk.newMember(organization, "owner");
    return { organization, owner, browser: { cookies: new Map(), token: await owner.token(organization) } };
  };

  /** Publishes the record that a claim asks for, and has it found. */
  const prove = async (browser: Browser, domain: string): Promise<SignOnAnswer> => {
    const { body } = await ask(browser, "POST /api/v1/domains", { domain });
    provider.records.set(body.record.name, [
      ...(provider.records.get(body.record.name) ?? []),
      body.record.value,
    ]);
    return await ask(browser, `POST /api/v1/domains/${domain}/check`);
  };

  /** Sets a connection to the sandbox's provider. */
  const connect = (browser: Browser, more: object = {}) =>
    ask(browser, "PATCH /api/v1/sign-on", { issuer: provider.url, ...sandboxClient, ...more });

  /** An organization whose people sign on with this domain. */
  const company = async (domain: string, more: object = {}) => {
    const made = await newOwner();
    const proved = await prove(made.browser, domain);
    const connected = await connect(made.browser, more);
    if (proved.status !== 200 || connected.status !== 200)
      throw new Error(JSON.stringify([proved.body, connected.body]));
    return made;
  };
  return { newOwner, prove, connect, company };
}

export type SignOnConsole = Awaited<ReturnType<typeof openSignOn>>;

/** The code of an answer's error, else its status. */
export function codeOf({ status, body }: SignOnAnswer): number {
  return body?.error?.code ?? status;
}

/** The code of an answer's error with its reason. */
export function refusalOf(answer: SignOnAnswer): [number, string | undefined] {
  return [codeOf(answer), answer.body?.error?.reason];
}

/** A console for all tests of a file, over its stores. */
export function useSignOn(db: Database, play: ProviderPlay = {}): SignOnConsole {
  const desk = {} as SignOnConsole;
  beforeAll(async () => void Object.assign(desk, await openSignOn(db, play)));
  afterAll(() => desk.provider.stop());
  return desk;
}

/** A domain that no other test has, in whichever file. */
export const newDomain = () => `${randomUUID()}.example`;
