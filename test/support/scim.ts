/** SCIM over the stores and the provider of sign-on: what an identity provider sends, and what comes of it. */
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { ConsoleRequest } from "#shared/edges/console/call.ts";
import { scimAnswers } from "#shared/edges/console/operations/scim.ts";
import type { ScimDeps } from "#shared/edges/console/operations/scim-deps.ts";
import { createScim } from "#shared/edges/console/scim.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createDirectories } from "#shared/edges/store/identity/directories.ts";
import { auditEntry } from "#shared/people/identity/audit.ts";
import { newDirectoryToken } from "#shared/people/scim/token.ts";
import { type Browser, newDomain, type SignOnAnswer, type SignOnConsole } from "./sign-on.ts";

const schemas = "urn:ietf:params:scim:api:messages:2.0";

/** A body of a PATCH with these operations. */
export const patchOf = (...Operations: object[]) => ({ schemas: [`${schemas}:PatchOp`], Operations });

/** A provider with a token, as it asks the console. */
export interface ScimProvider {
  token: string;
  ask(route: string, body?: object | string, headers?: Record<string, string>): Promise<SignOnAnswer>;
  /** Provisions somebody, and gives their id. */
  add(userName: string, more?: object): Promise<string>;
  /** Makes a group with these members, and gives its id. */
  group(displayName: string, ...members: string[]): Promise<string>;
  /** The states of all people by their user names. */
  names(): Promise<string[]>;
}

/** Asks the routes of SCIM with a text as bearer. */
export function scimAsker(desk: SignOnConsole, changes: Partial<ScimDeps> = {}) {
  return (authorization: string): ScimProvider["ask"] => {
    return async (route, body, headers = {}) => {
      // What a test has put in the place of a store is found by each request.
      const deps = { ...desk.deps, pace: desk.people.deps.pace, ...changes };
      const serve = createScim(scimAnswers(deps), deps);
      const [method = "", target = ""] = route.split(" ", 2);
      const [path = "", query = ""] = target.split("?", 2);
      desk.pass(1);
      const { now } = desk.clock;
      const request: ConsoleRequest = {
        ...{ id: newId("request", now), method, path: `/scim/v2${path}`, ip: "192.0.2.44" },
        query: new URLSearchParams(query),
        headers: {
          host: "localhost:8789",
          "content-type": "application/scim+json",
          authorization,
          ...headers,
        },
        body: Buffer.from(typeof body === "string" ? body : body ? JSON.stringify(body) : ""),
        ...{ received_at: now, deadline_at: now + 30_000 },
      };
      const reply = await serve(request);
      const text = String(reply.body);
      return {
        status: reply.status,
        headers: reply.headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
    };
  };
}

/** Puts a token of SCIM into a table of accounts. */
export async function putDirectoryToken(
  { aws, tables }: { aws: Aws; tables: Pick<TableNames, "accounts"> },
  organization: string,
): Promise<void> {
  const { token } = newDirectoryToken(organization, Date.now());
  const actor = { user: { id: "usr_1", name: "Ann" }, organization: { id: organization } };
  const line = auditEntry(
    actor,
    { kind: "provisioning_token_made", subject: organization },
    null,
    Date.now(),
  );
  await createDirectories(aws, tables).setToken(organization, { before: null, token }, line);
}

/** A company with a provider that provisions, and addresses of it. */
export async function openProvisioned(desk: SignOnConsole, more: object = {}) {
  const domain = newDomain();
  const made = await desk.company(domain, more);
  const provider = await openProvider(desk, made.browser);
  return { ...made, domain, provider, at: (name: string) => `${name}@${domain}` };
}

/** A token that an owner makes, and the provider that has it. */
export async function openProvider(
  desk: SignOnConsole,
  owner: Browser,
  changes: Partial<ScimDeps> = {},
): Promise<ScimProvider> {
  const made = await desk.ask(owner, "POST /api/v1/provisioning/token");
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const ask = scimAsker(desk, changes)(`Bearer ${made.body.token}`);
  const made201 = async (route: string, body: object): Promise<string> => {
    const answer = await ask(route, body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body.id;
  };
  return {
    ...{ token: made.body.token, ask },
    add: (userName, more = {}) => made201("POST /Users", { userName, ...more }),
    group: (displayName, ...members) =>
      made201("POST /Groups", { displayName, members: members.map((value) => ({ value })) }),
    async names() {
      const { body } = await ask("GET /Users?count=200");
      return body.Resources.map(({ userName }: { userName: string }) => userName);
    },
  };
}
