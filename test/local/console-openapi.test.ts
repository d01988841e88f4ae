/**
 * The console's OpenAPI document against `npm start`: two people sign up, buy points, make keys, call a model, and ask
 * every operation. Each answer must be one that the document has, and fit its schema.
 */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { demoPhone } from "#infra/local/sandbox/phone.ts";
import { dayMs } from "#shared/books/billing/period.ts";
import type { Asked, Asking, Body } from "#test/local/asking.ts";
import { companySignsIn } from "#test/local/company.ts";
import { signInByPasskey } from "#test/local/passkeys.ts";
import { teamIsSet } from "#test/local/team.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { consoleDocument, exampleOf, expectDocumented, type Operation } from "#test/support/openapi.ts";
import { buyPoints, topUpByCard } from "./buying.ts";

const { documented, openApi } = consoleDocument;

let gateway: LocalGateway;
beforeAll(async () => {
  gateway = await startLocal();
});
afterAll(() => gateway?.stop());

/** Every operation that has answered with success. */
const answered = new Set<string>();

function operationOf(name: string): Operation {
  const found = documented.find(({ operationId }) => operationId === name);
  if (!found) throw new Error(`the document has no ${name}`);
  return found;
}

async function send(operation: Operation, asked: Asked = {}): Promise<Response> {
  const { token, id = "x", query = "", body, form } = asked;
  return await fetch(`${gateway.console_url}${operation.path.replace(/\{\w+\}/, id)}${query}`, {
    method: operation.method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { "content-type": "application/json" }),
      ...asked.headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(form && { body: new URLSearchParams(form) }),
  });
}

/** Asks an operation, which must answer with success as the document says. */
async function ask(name: string, asked: Asked = {}): Promise<Body> {
  const operation = operationOf(name);
  const response = await send(operation, asked);
  expect(response.ok, `${name}: ${response.ok ? "" : await response.clone().text()}`).toBe(true);
  answered.add(name);
  return await expectDocumented(operation, response, consoleDocument);
}

/** Asks an operation, which must refuse as the document says. Gives the code. */
async function refused(name: string, asked: Asked = {}): Promise<number> {
  const operation = operationOf(name);
  const body = (await expectDocumented(operation, await send(operation, asked), consoleDocument)) as Body;
  const codes = Object.values(operation.responses).flatMap((each) => each["x-error-codes"] ?? []);
  expect(codes, name).toContain(body.error.code);
  return body.error.code;
}

async function codeFor(contact: string): Promise<string> {
  const kind = contact.includes("@") ? "email" : "phone";
  await ask("sendCode", { body: { [kind]: contact } });
  const inbox = `${gateway.endpoints.inbox}/inbox.json?${kind}=${encodeURIComponent(contact)}`;
  const { data } = (await (await fetch(inbox)).json()) as { data: { code: string }[] };
  return data[0]?.code ?? "";
}

async function signUp(phone: string, name: string): Promise<{ token: string; organization: string }> {
  const body = { phone, code: await codeFor(phone), name };
  const { access_token: token, organization } = await ask("signUp", { body });
  return { token, organization: organization.id };
}

/** Makes a key, calls a model with it, and gives the call once it is listed. */
async function use(token: string): Promise<{ key: string; call: string }> {
  const limits = { max_concurrency: 2, budget_points: "10", budget_period: "day" };
  const made = await ask("createKey", { token, body: { billing_mode: "payg", name: "test", limits } });
  await ask("createKey", { token, body: { billing_mode: "subscription", limits: { rpm: 2, tpd: 10_000 } } });
  const call = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${made.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "openai/gpt-5.4-mini", messages: [{ role: "user", content: "Hello." }] }),
  });
  expect(call.status).toBe(200);
  await vi.waitFor(async () => expect((await ask("listCalls", { token })).data).toHaveLength(1), {
    timeout: 90_000,
    interval: 500,
  });
  return { key: made.id, call: call.headers.get("x-request-id") ?? "" };
}

const ann = "+8613912340001";
const bob = "+8613912340002";

test("everything that people do answers as the document says", async () => {
  const { token } = await signUp(ann, "Ann");
  const account = await ask("changeAccount", { token, body: { locale: "zh" } });
  expect(account.rights.length).toBeGreaterThan(0);
  await ask("showAccount", { token });
  const email = "ann.second@example.com";
  const both = await ask("addContact", { token, body: { email, code: await codeFor(email) } });
  expect([both.user.phone_last_four, both.user.email_shown]).toEqual(["0001", "a…@example.com"]);
  await ask("removeContact", { token, id: "phone" });
  expect(await refused("removeContact", { token, id: "email" })).toBe(40910);
  await ask("changeOrganization", { token, body: { name: "Acme" } });

  for (const name of ["listPaymentMethods", "listPlans"]) await ask(name);
  const order = await buyPoints(token, ask);
  await topUpByCard(token, ask);
  const other = await ask("createPlanOrder", { token, body: { plan: "lite", channel: "wechat" } });
  expect(await refused("closeRecharge", { token, id: order })).toBe(40910);
  expect((await ask("closeRecharge", { token, id: other.id })).state).toMatch(/^clos/);
  await ask("quotePlan", { token, query: "?plan=lite" });
  expect((await ask("listRecharges", { token })).data).toHaveLength(2);

  const { key, call } = await use(token);
  for (const by of ["model", "project", "key", "user"]) {
    const series = await ask("showUsageSeries", { token, query: `?period=today&by=${by}&step=hour` });
    expect([by, series.series.length]).toEqual([by, 1]);
  }
  await ask("exportUsageSeries", { token, query: "?period=today" });
  await ask("showUsageSummary", { token });
  expect((await ask("showLimits", { token })).keys).toHaveLength(2);
  await ask("retrieveReceipt", { token, id: call });
  await ask("listModels", { token });
  await ask("listRoutes", { token, id: "openai%2Fgpt-5.4-mini" });
  expect(await refused("listRoutes", { token, id: "nothing" })).toBe(40400);
  expect((await ask("listKeys", { token })).data).toHaveLength(2);
  await ask("changeKey", { token, id: key, body: { defaults: { allow_drop: ["tools"] } } });
  await ask("rotateKey", { token, id: key, body: { overlap_seconds: 60 } });
  await ask("showKeyBounds", { token, id: key });
  for (const operation of ["disableKey", "enableKey", "revokeKey"]) await ask(operation, { token, id: key });

  expect((await ask("listInvoiceableOrders", { token })).data).toHaveLength(1);
  const title = { kind: "personal", name: "Ann" };
  const body = { orders: [order], title, email: "ann@example.com" };
  const invoice = await ask("requestInvoice", { token, body });
  expect(await refused("requestInvoice", { token, body })).toBe(40910);
  await ask("showInvoice", { token, id: invoice.id });
  expect((await ask("listInvoices", { token })).data).toHaveLength(1);
  const [{ month }] = (await ask("listStatements", { token })).data;
  for (const format of ["json", "html", "csv"])
    await ask("showStatement", { token, id: month, query: `?format=${format}` });
  const day = `?from=${new Date(Date.now() - dayMs).toISOString()}&to=${new Date().toISOString()}`;
  for (const format of ["json", "csv"]) await ask("exportFocus", { token, query: `${day}&format=${format}` });

  await shareWithBob(token);
  expect((await ask("listAuditLog", { token })).data.length).toBeGreaterThan(5);
});

/** Bob is invited, becomes an admin and is removed; another invitation is withdrawn. */
async function shareWithBob(token: string): Promise<void> {
  const invited = await ask("createInvitation", { token, body: { role: "member", phone: bob } });
  const { id } = await ask("createInvitation", { token, body: { role: "finance" } });
  expect((await ask("listInvitations", { token })).data).toHaveLength(2);
  await ask("withdrawInvitation", { token, id });
  const his = await signUp(bob, "Bob");
  await ask("acceptInvitation", { token: his.token, body: { token: invited.token } });
  const { user } = await ask("showAccount", { token: his.token });
  expect((await ask("listMembers", { token })).data).toHaveLength(2);
  await ask("changeMember", { token, id: user.id, body: { role: "admin" } });
  const budget = { level: "member", id: user.id, budget_points: "5", budget_period: "month" };
  await ask("changeBudget", { token, body: budget });
  expect((await ask("listBudgets", { token, query: "?user=ann" })).data).toMatchObject([budget]);
  const own = (await ask("showAccount", { token })).user.id;
  expect((await ask("listMemberKeys", { token, id: own })).data).toHaveLength(1);
  await ask("removeMember", { token, id: user.id, query: "?keys=end" });
  expect(await refused("removeMember", { token, id: user.id })).toBe(40400);
}

test("a program is signed in, refreshed and signed out as the document says", async () => {
  const { token } = await signUp("+8613912340005", "Pat");
  await ask("showAuthorizationServer");
  const client_id = "a-program";
  const asked = await ask("startDevice", { form: { client_id, device_name: "laptop" } });
  const poll = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id };
  const form = { ...poll, device_code: asked.device_code };
  const pending = (await (await send(operationOf("getDeviceToken"), { form })).json()) as Body;
  expect(pending.error).toBe("authorization_pending");
  const early = await send(operationOf("getDeviceToken"), { form });
  const refusal = await expectDocumented(operationOf("getDeviceToken"), early, consoleDocument);
  expect(refusal).toMatchObject({ error: "slow_down" });

  const { user_code } = asked;
  const { id } = await ask("lookAtDevice", { token, body: { user_code } });
  const headers = { "sec-fetch-site": "same-origin" };
  const decision = { user_code, id, approve: true, billing_mode: "payg" };
  await ask("decideDevice", { token, headers, body: decision });
  const polled = async () => await send(operationOf("getDeviceToken"), { form });
  // The answer says how long to wait, and this is the one wait of the flow.
  const first = await vi.waitFor(
    async () => {
      const answer = await polled();
      expect(answer.status).toBe(200);
      return (await expectDocumented(operationOf("getDeviceToken"), answer, consoleDocument)) as Body;
    },
    { timeout: 30_000, interval: 5_000 },
  );
  const { refresh_token } = first;
  await ask("getDeviceToken", { form: { grant_type: "refresh_token", client_id, refresh_token } });
  expect((await ask("listPrograms", { token })).data).toHaveLength(1);
  await ask("revokeDeviceToken", { form: { token: refresh_token } });
  expect((await ask("listPrograms", { token })).data).toHaveLength(0);
});

const asking = (): Asking => ({
  ask,
  refused,
  send: (name, asked) => send(operationOf(name), asked),
  gateway,
});

test("a company signs in by its own provider as the document says", async () => {
  await companySignsIn(await signUp("+8613912340009", "Owner"), asking());
});

test("a passkey is added and signs in as the document says", async () => {
  await signInByPasskey((await signUp("+8613912340011", "Pia")).token, asking());
});

test("a team is set as the document says", async () => {
  await teamIsSet((await signUp("+8613912340010", "Tim")).token, asking());
});

test("sessions are refreshed, listed and ended as the document says", async () => {
  const phone = "+8613912340003";
  const first = await signUp(phone, "Eve");
  const sessions = await ask("listSessions", { token: first.token });
  await ask("endSession", { token: first.token, id: sessions.data[0].id });
  expect(await refused("showAccount", { token: first.token })).toBe(40103);

  const demo = await ask("signIn", { body: { phone: demoPhone, code: await codeFor(demoPhone) } });
  await ask("showAccount", { token: demo.access_token });

  const newcomer = "+8613912340004";
  const code = await codeFor(newcomer);
  expect(await refused("signIn", { body: { phone: newcomer, code } })).toBe(40113);
  const signedUp = await send(operationOf("signUp"), { body: { phone: newcomer, code } });
  const cookie = /^[^;]+/.exec(signedUp.headers.get("set-cookie") ?? "")?.[0] ?? "";
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  await ask("refreshSession", { headers, body: {} });
  await ask("signOut", { headers });
  expect(await refused("refreshSession", { headers })).toBe(40103);
});

test("every operation has answered, but for the one that the platforms call", () => {
  const names = documented.map(({ operationId }) => operationId).filter((name) => !answered.has(name));
  expect(names).toEqual(["takeNotice"]);
});

const closedOnes = documented.filter(({ security }) => security.some((way) => "session" in way));

test.each(closedOnes.map((each) => [each.operationId, each] as const))(
  "%s refuses who has no session, and a wrong one",
  async (name, operation) => {
    const body = exampleOf(operation);
    expect(await refused(name, { ...(body && { body }) })).toBe(40100);
    expect(await refused(name, { ...(body && { body }), token: "eyJ.eyJ.x" })).toBe(40103);
  },
);

const required = documented.flatMap((operation) => {
  const { schema } = operation.requestBody?.content["application/json"] ?? {};
  const names = (schema as { required?: string[] } | undefined)?.required ?? [];
  return operation.security.length === 0 && names.length > 0 ? [[operation.operationId, names] as const] : [];
});

test.each(required)("%s refuses a body without a required field", async (name, fields) => {
  const example = exampleOf(operationOf(name)) ?? {};
  for (const field of fields) {
    const { [field]: _left, ...rest } = example;
    expect([field, await refused(name, { body: rest })]).toEqual([field, 40000]);
  }
});

test("the served document is the kept one, to everybody", async () => {
  const response = await fetch(`${gateway.console_url}/openapi.json`);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await response.json()).toEqual(openApi);
});
