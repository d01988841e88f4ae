/** Programs that people of a desk sign in: what a terminal asks, and what the person does in the console. */

import { hashApiKey } from "#shared/base/platform/api-key.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import type { ConsoleAnswers, ConsoleRequest } from "#shared/edges/console/call.ts";
import { deviceAnswers } from "#shared/edges/console/operations/device.ts";
import { deviceGrant } from "#shared/edges/console/operations/device-code.ts";
import type { DeviceDeps } from "#shared/edges/console/operations/device-deps.ts";
import { organizationAnswers } from "#shared/edges/console/operations/organization.ts";
import { createConsole } from "#shared/edges/console/pipeline.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { createDevices } from "#shared/edges/store/identity/devices.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createUsers } from "#shared/edges/store/identity/users.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { createGuessGuard } from "#shared/people/identity/guess-guard.ts";
import { identify } from "#shared/people/identity/identify.ts";
import { openMembers, type Person } from "./members.ts";
import type { useStores } from "./stores.ts";

export const client_id = "gateway.mjs";
const host = "console.example";
/** Desks so far: each has an address of its own, because requests and guesses are counted by address. */
let desks = 0;
/** What a browser sends from a page of the console. */
const ownPage = { host, "sec-fetch-site": "same-origin" };

type Stores = Pick<ReturnType<typeof useStores>, "db" | "accounts">;

/** An answer, with its body as a value; undefined where it has none. */
interface ProgramAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at fields that they know.
  body: any;
}

interface Sending {
  headers?: Record<string, string>;
  ip?: string;
}

/** What a desk's console needs to sign programs in, over real stores. */
function depsOf(
  { deps }: Pick<ReturnType<typeof openMembers>, "deps">,
  { db, accounts }: Stores,
  changes: Partial<DeviceDeps>,
) {
  const { aws, tables } = db;
  const { now, log } = deps;
  const velocity = createVelocity(aws, tables);
  return {
    ...deps,
    accounts,
    devices: createDevices(aws, tables),
    users: createUsers(aws, tables),
    sessions: createSessions(aws, tables),
    velocity,
    guesses: createGuessGuard({ velocity, log, now }),
    gatewayUrl: "https://gateway.example",
    ...changes,
  } satisfies DeviceDeps;
}

/** A desk whose console signs programs in. `changes` are to what it needs. */
function openPrograms(stores: Stores, changes: Partial<DeviceDeps> = {}) {
  const { db } = stores;
  const desk = openMembers(db);
  desks += 1;
  const network = `10.77.${desks}`;
  const home = `${network}.7`;
  const deps = depsOf(desk, stores, changes);
  const { now } = deps;
  const answers = { ...organizationAnswers(desk.deps), ...deviceAnswers(deps) };
  const callers = createCallers(db.aws, db.tables);
  const serve = createConsole(answers as unknown as ConsoleAnswers, {
    log: deps.log,
    identify: (request) => identify(request, { keys: deps.keys, callers, now }),
    asset: async () => undefined,
  });

  const send = async (route: string, body: string, { headers = {}, ip = home }: Sending) => {
    const [method = "", path = ""] = route.split(" ");
    const request: ConsoleRequest = {
      ...{ id: newId("request", now()), method, path, query: new URLSearchParams() },
      ...{ headers: { host, ...headers }, body: Buffer.from(body), ip },
      ...{ received_at: now(), deadline_at: now() + 30_000 },
    };
    const { status, headers: told, body: text } = await serve(request);
    return {
      status,
      headers: told,
      body: text === "" ? undefined : JSON.parse(String(text)),
    } as ProgramAnswer;
  };

  /** What a terminal sends: a form. */
  const post = async (path: string, form: Record<string, string>, sending: Sending = {}) =>
    await send(`POST /api/v1/auth/device/${path}`, new URLSearchParams(form).toString(), {
      ...sending,
      headers: { "content-type": "application/x-www-form-urlencoded", ...sending.headers },
    });

  /** What a person does in a browser. */
  const ask = async (
    [person, organization]: [Person, Organization],
    route: string,
    body?: object,
    { headers = ownPage, ...sending }: Sending = {},
  ) =>
    await send(route, body ? JSON.stringify(body) : "", {
      ...sending,
      headers: { ...headers, authorization: `Bearer ${await person.token(organization)}` },
    });

  const poll = async (device_code: string, more: Record<string, string> = {}) => {
    desk.clock.now += 5_000;
    return await post("token", { grant_type: deviceGrant, client_id, device_code, ...more });
  };
  const refresh = async (refresh_token: string, more: Record<string, string> = {}) =>
    await post("token", { grant_type: "refresh_token", client_id, refresh_token, ...more });

  const start = async (more: Record<string, string> = {}, sending: Sending = {}) =>
    (await post("code", { client_id, device_name: "anns-laptop", ...more }, sending)).body;

  /** Approves a request as the page does: looks at it, and names what was shown. */
  const approve = async (who: [Person, Organization], user_code: string, more: object = {}) => {
    const shown = await ask(who, "POST /api/v1/auth/device/look", { user_code });
    if (shown.status !== 200) return shown;
    const decision = { user_code, id: shown.body.id, approve: true, billing_mode: "payg", ...more };
    return await ask(who, "POST /api/v1/auth/device/decide", decision);
  };

  /** Signs a program in, and gives its tokens. */
  const signIn = async (who: [Person, Organization], more: object = {}) => {
    const { user_code, device_code } = await start();
    await approve(who, user_code, more);
    return (await poll(device_code)).body as {
      access_token: string;
      refresh_token: string;
      expires_in: number;
    };
  };

  return { ...desk, deps, network, home, post, askPage: ask, poll, refresh, start, approve, signIn };
}

/** Such a desk with Acme, its owner Olga, and Ann, a member. */
export async function openedPrograms(stores: Stores, changes: Partial<DeviceDeps> = {}) {
  const desk = openPrograms(stores, changes);
  const acme = await desk.newOrganization();
  const olga = await desk.newMember(acme, "owner", "Olga");
  const ann = await desk.newMember(acme, "member", "Ann");
  const principal = async (secret: string) =>
    await stores.accounts.findPrincipal(hashApiKey("pepper", secret));
  /** Whether a secret is in force. */
  const isGood = async (secret: string) => {
    const key = (await principal(secret))?.key;
    return key?.status === "active" && (key.expires_at ?? 0) > desk.clock.now;
  };
  return { desk, acme, olga, ann, principal, isGood };
}
