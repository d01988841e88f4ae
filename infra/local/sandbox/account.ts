/** The demo account. It is made two minutes in the past, so that a newcomer can have a code for its phone at once. */

import { GatewayError } from "#shared/base/errors.ts";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { type Peppers, readPeppers } from "#shared/base/platform/pepper.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { issueKey } from "#shared/edges/api/keys.ts";
import type { ConsoleCall } from "#shared/edges/console/call.ts";
import { signInAnswers } from "#shared/edges/console/operations/sign-in.ts";
import type { SignInDeps } from "#shared/edges/console/operations/sign-in-deps.ts";
import { credit } from "#shared/edges/operator/organizations.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createCodes } from "#shared/edges/store/identity/codes.ts";
import { createPace } from "#shared/edges/store/identity/pace.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createUserContacts } from "#shared/edges/store/identity/user-contacts.ts";
import { createUsers } from "#shared/edges/store/identity/users.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import type { Endpoints } from "../stack/ready-file.ts";
import { demoPhone } from "./phone.ts";

/** What the account's wallet has before its first call. */
const points = "25";

/** How long ago the account was made. A phone gets another code after a minute, and a code is good for five. */
const agoMs = 120_000;

interface AccountParts {
  aws: Aws;
  tables: Endpoints["tables"];
  /** The texts of the secrets. */
  pepper: string;
  accountsSecret: string;
  plans: Catalog["plans"];
}

/** Makes the account, with points and a key, whose secret it gives; undefined where an earlier run has made it. */
export async function openDemoAccount(parts: AccountParts): Promise<string | undefined> {
  const sent = Promise.withResolvers<string>();
  const deps = depsOf(parts, sent.resolve);
  const answers = signInAnswers(deps);
  await answers.send_code(callWith({ phone: demoPhone, locale: "en" }));
  const proof = { phone: demoPhone, code: await sent.promise, name: "Demo" };
  const reply = await answers.sign_up(callWith(proof)).catch((error: unknown) => {
    if (error instanceof GatewayError && error.key === "phone_registration") return undefined;
    throw error;
  });
  if (!reply) return undefined;
  const { organization } = JSON.parse(String(reply.body)) as { organization: { id: string } };
  return await equip(organization.id, deps, readPeppers(parts.pepper));
}

async function equip(id: string, deps: SignInDeps, peppers: Peppers): Promise<string> {
  const organization = (await deps.accounts.organization(id)) as Organization;
  await credit(organization, { points, reference: "demo" }, deps);
  const request = { name: "demo", project: "", limits: null, expires_at: null, permissions: [] };
  const keyDeps = { accounts: deps.accounts, peppers: async () => peppers, now: deps.now };
  const { secret } = await issueKey(organization, { ...request, mode: "payg" }, keyDeps);
  return secret;
}

function depsOf(
  { aws, tables, accountsSecret, plans }: AccountParts,
  onCode: (code: string) => void,
): SignInDeps {
  const now = () => Date.now() - agoMs;
  const keys = keysOf(readPeppers(accountsSecret));
  return {
    keys: async () => keys,
    codes: createCodes(aws, tables),
    users: createUsers(aws, tables),
    userContacts: createUserContacts(aws, tables),
    sessions: createSessions(aws, tables),
    pace: createPace(aws, tables, now),
    // Nobody is sent this code.
    senders: { phone: { send: async (_, code) => onCode(code) }, email: null },
    guard: null,
    guesses: { admit: async () => [], giveBack: async () => {} },
    invitations: null,
    contacts: { kinds: ["phone"], countries: ["+86"] },
    isRegistrationOpen: true,
    accounts: createAccounts(aws, tables),
    ledger: createLedger(aws, tables, now),
    meters: createMeters(aws, tables),
    plan: (name) => plans[name],
    plans: () => Object.keys(plans),
    log() {},
    now,
    pause: async () => {},
  };
}

/** A request with this body, as the console's own page would send it. */
function callWith(body: object): ConsoleCall {
  const now = Date.now();
  return {
    request: {
      id: newId("request", now),
      method: "POST",
      path: "/",
      query: new URLSearchParams(),
      headers: { "user-agent": "npm start" },
      body: Buffer.from(JSON.stringify(body)),
      received_at: now,
      deadline_at: now + 30_000,
      ip: "127.0.0.1",
    },
    route: { method: "POST", path: "/", operation: "sign_up", access: "public" },
    parameters: {},
    caller: null,
  };
}
