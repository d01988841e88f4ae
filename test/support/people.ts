/** The console's routes of signing up, in and out, as browsers ask them: over real stores, with a clock and an outbox. */

import type { HttpReply } from "#shared/base/http/message.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { type Peppers, readPeppers } from "#shared/base/platform/pepper.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import type { ConsoleAnswers, ConsoleRequest } from "#shared/edges/console/call.ts";
import { signInAnswers } from "#shared/edges/console/operations/sign-in.ts";
import type { SignInDeps } from "#shared/edges/console/operations/sign-in-deps.ts";
import { createConsole } from "#shared/edges/console/pipeline.ts";
import { rotated } from "#shared/edges/operator/secret-versions.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { readRecord } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { createCodes } from "#shared/edges/store/identity/codes.ts";
import { createPace } from "#shared/edges/store/identity/pace.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createUserContacts } from "#shared/edges/store/identity/user-contacts.ts";
import { createUsers } from "#shared/edges/store/identity/users.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { contactKinds, contactsOf, openContact } from "#shared/people/identity/contact.ts";
import { identify } from "#shared/people/identity/identify.ts";
import { createIdentityKeys, type ReadKeys } from "#shared/people/identity/identity-keys.ts";
import type { User } from "#shared/people/identity/user.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import type { Database } from "./dynamodb.ts";

const catalog = createCatalog(catalogFile as unknown as Catalog);

/** The secret of accounts before a rotation, and after it while the version before is kept. */
export const firstSecret = readPeppers("the first secret of accounts");
export const bothSecrets = rotated(firstSecret, { value: "the second secret of accounts" });
/** After the drop. */
export const secondSecret: Peppers = {
  current: bothSecrets.current,
  replayNames: bothSecrets.replayNames,
};

export const keysFrom = (secret: Peppers): ReadKeys => createIdentityKeys(async () => secret);

export const host = "console.example";

/** What a browser sends with a request to its own page's host. */
export const ownPage = { host, "sec-fetch-site": "same-origin" };

/** An answer, with its body as a value. */
export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at fields that they know.
  body: any;
  headers: HttpReply["headers"];
  /** The value of the session's cookie that it sets; "" where it takes the cookie away. */
  cookie: string | undefined;
}

interface PeopleOptions {
  /** What the process knows of the secret. A test may change it. */
  secret?: Peppers;
  deps?: Partial<SignInDeps>;
  aws?: Aws;
}

interface SentWith {
  token?: string;
  cookie?: string;
  headers?: Record<string, string>;
  ip?: string;
}

function requestOf(
  route: string,
  body: object | undefined,
  { token, cookie, headers = ownPage, ip = "203.0.113.7" }: SentWith,
  now: number,
): ConsoleRequest {
  const [method = "", path = ""] = route.split(" ");
  return {
    id: newId("request", now),
    method,
    path,
    query: new URLSearchParams(),
    headers: {
      ...headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(cookie !== undefined && { cookie: `other=1; __Host-session=${cookie}` }),
    },
    body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
    received_at: now,
    deadline_at: now + 30_000,
    ip,
  };
}

/** One process of the console. `clock.now` is its time, Unix milliseconds. */
export function openPeople({ aws: given, tables }: Database, options: PeopleOptions = {}) {
  const aws = options.aws ?? given;
  const clock = { now: Date.parse("2026-11-23T12:00:00Z") };
  const sent: { phone: string; code: string; locale: string }[] = [];
  const mails: { email: string; code: string; locale: string }[] = [];
  const completed: string[] = [];
  const lines: { event: string; fields: object }[] = [];
  const secret = { copy: options.secret ?? firstSecret, fresh: options.secret ?? firstSecret };
  const now = () => clock.now;
  const deps: SignInDeps = {
    keys: createIdentityKeys(async (stale) => {
      if (stale) secret.copy = secret.fresh;
      return secret.copy;
    }),
    codes: createCodes(aws, tables),
    users: createUsers(aws, tables),
    userContacts: createUserContacts(aws, tables),
    sessions: createSessions(aws, tables),
    pace: createPace(aws, tables, now),
    senders: {
      phone: { send: async (phone, code, locale) => void sent.push({ phone, code, locale }) },
      email: { send: async (email, code, locale) => void mails.push({ email, code, locale }) },
    },
    guard: {
      admit: async () => ({ isSent: true, scarce_until: undefined }),
      completed: async ({ contact }) => void completed.push(contact.text),
    },
    guesses: { admit: async () => [], giveBack: async () => {} },
    invitations: null,
    contacts: { kinds: contactKinds, countries: ["+86", "+1"] },
    isRegistrationOpen: true,
    accounts: createAccounts(aws, tables),
    ledger: createLedger(aws, tables, now),
    meters: createMeters(aws, tables),
    plan: catalog.plan,
    plans: () => Object.keys(catalog.plans()),
    log: (_level, event, fields = {}) => void lines.push({ event, fields }),
    now,
    pause: async () => {},
    ...options.deps,
  };
  const callers = createCallers(aws, tables);
  const serve = createConsole(signInAnswers(deps) as unknown as ConsoleAnswers, {
    log: deps.log,
    identify: (request) => identify(request, { ...deps, callers }),
    asset: async () => undefined,
  });

  /** Asks a route. A `token` goes as bearer, and a `cookie` as the session's. */
  const ask = async (route: string, body?: object, sentWith: SentWith = {}): Promise<Answer> => {
    const { status, headers, body: text } = await serve(requestOf(route, body, sentWith, clock.now));
    const cookie = /^__Host-session=([^;]*)/.exec(headers["set-cookie"] ?? "")?.[1];
    return { status, headers, cookie, body: text === "" ? undefined : JSON.parse(String(text)) };
  };

  /** Has a code sent a minute after the last one, and gives it. */
  const codeFor = async (contact: string): Promise<string> => {
    clock.now += 60_000;
    const { status } = await ask("POST /api/v1/auth/code", named(contact));
    if (status !== 202) throw new Error(`no code was sent: ${status}`);
    return (contact.includes("@") ? mails : sent).at(-1)?.code ?? "";
  };

  const signUp = async (contact: string, more: object = {}): Promise<Answer> =>
    await ask("POST /api/v1/auth/sign-up", { ...named(contact), code: await codeFor(contact), ...more });
  const signIn = async (contact: string, more: object = {}): Promise<Answer> =>
    await ask("POST /api/v1/auth/sign-in", { ...named(contact), code: await codeFor(contact), ...more });

  return { ask, codeFor, signUp, signIn, clock, sent, mails, completed, lines, secret, deps };
}

/** A contact as the body of a request names it. */
function named(contact: string): { phone: string } | { email: string } {
  return contact.includes("@") ? { email: contact } : { phone: contact };
}

let last = 0;

/** A phone that no other test has. */
export function newPhone(): string {
  last += 1;
  return `+86138${String(last).padStart(8, "0")}`;
}

/** An address that no other test has. */
export function newEmail(): string {
  last += 1;
  return `person-${last}@example.com`;
}

/** A code that is not this one. */
export function wrongCode(right: string): string {
  return String((Number(right) + 1) % 1_000_000).padStart(6, "0");
}

/** The code of an answer's error, else its status. */
export function codeOf({ status, body }: Answer): number {
  return body?.error?.code ?? status;
}

export type People = ReturnType<typeof openPeople>;

/** Asks for a refresh, as the page itself does. */
export async function refresh(
  people: People,
  cookie: string | undefined,
  body?: object,
  headers: Record<string, string> = ownPage,
): Promise<Answer> {
  return await people.ask("POST /api/v1/auth/refresh", body, {
    headers,
    ...(cookie !== undefined && { cookie }),
  });
}

/** What a token gets that asks for its account: 200 or the code of an error. */
export async function accountBy(people: People, token: string): Promise<number> {
  return codeOf(await people.ask("GET /api/v1/account", undefined, { token }));
}

/** Somebody who has just signed up. */
export async function signedUp(people: People) {
  const phone = newPhone();
  const { body, cookie = "" } = await people.signUp(phone);
  return {
    people,
    phone,
    cookie,
    token: body.access_token as string,
    user: body.user.id as string,
    organization: body.organization.id as string,
  };
}

/** The ids of all users who have a contact, whatever has claimed it. */
export async function usersOf({ aws, tables }: Database, contact: string): Promise<string[]> {
  const { Items = [] } = await aws("dynamodb", "Scan", {
    TableName: tables.accounts,
    FilterExpression: "(phone_last_four = :four OR attribute_exists(email_box)) AND begins_with(pk, :user)",
    ExpressionAttributeValues: { ":four": { S: contact.slice(-4) }, ":user": { S: "U#" } },
  });
  const users = Items.map((item) => readRecord<User>(item));
  const theirs = users.map(async (user) => {
    const opened = contactsOf(user).map((kept) => openContact(user.id, kept, keysFrom(bothSecrets)));
    return (await Promise.all(opened)).some(({ text }) => text === contact);
  });
  const isTheirs = await Promise.all(theirs);
  return users.filter((_, at) => isTheirs[at]).map(({ id }) => id);
}
