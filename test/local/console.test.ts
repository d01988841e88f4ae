/** The console of `npm start`: its address, its inbox, and the demo account that a newcomer finds. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoPhone } from "#infra/local/sandbox/phone.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";

let gateway: LocalGateway;

beforeAll(async () => {
  gateway = await startLocal();
});

afterAll(() => gateway?.stop());

/** What the answers here have of the interface. */
interface Answer {
  access_token: string;
  organization: { id: string; name: string };
  wallet: { balance_points: string };
}

async function post(
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; json: Answer }> {
  const answer = await fetch(`${gateway.console_url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: (await answer.json()) as Answer };
}

/** Asks for a code, and gives the one that the inbox then has. */
async function codeFor(phone: string): Promise<string> {
  expect((await post("/api/v1/auth/code", { phone })).status).toBe(202);
  const answer = await fetch(`${gateway.endpoints.inbox}/inbox.json?phone=${encodeURIComponent(phone)}`);
  const { data } = (await answer.json()) as { data: { code: string }[] };
  return data[0]?.code ?? "";
}

async function accountOf(token: string): Promise<Answer> {
  const answer = await fetch(`${gateway.console_url}/api/v1/account`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return (await answer.json()) as Answer;
}

test("its address and its demo account are printed, and every address is in the snippets", async () => {
  const { console: address, dashboard, inbox, paymentPlatform } = gateway.endpoints;
  expect(gateway.console_url).toBe(address);
  // They are printed after the ready file is written.
  for (const told of [address, dashboard, demoPhone])
    await expect.poll(() => gateway.output()).toContain(told);
  const snippets = readFileSync(join(dirname(gateway.readyFile), "snippets.md"), "utf8");
  for (const told of [address, dashboard, inbox, paymentPlatform]) expect(snippets).toContain(told);
});

test("somebody signs up with the code in the inbox, which the terminal shows too", async () => {
  const phone = "+8613912345678";
  const code = await codeFor(phone);
  const { status, json } = await post("/api/v1/auth/sign-up", { phone, code, name: "Ann" });
  expect([status, json.organization]).toEqual([201, expect.objectContaining({ name: "Ann" })]);
  expect(gateway.output()).toContain(`The code for ${phone} is ${code}`);
  expect(await accountOf(json.access_token)).toMatchObject({ wallet: { balance_points: "0" } });
});

test("a session has the address of its connection, whatever address a header claims", async () => {
  const claimed = "203.0.113.9";
  const claims = {
    ...{ "x-forwarded-for": `${claimed}, 203.0.113.10`, forwarded: `for=${claimed}`, "x-real-ip": claimed },
    ...{
      "true-client-ip": claimed,
      "cf-connecting-ip": claimed,
      "cloudfront-viewer-address": `${claimed}:1`,
    },
  };
  const phone = "+8613912345679";
  const { json } = await post("/api/v1/auth/sign-up", { phone, code: await codeFor(phone) }, claims);
  const answer = await fetch(`${gateway.console_url}/api/v1/auth/sessions`, {
    headers: { authorization: `Bearer ${json.access_token}` },
  });
  expect(await answer.json()).toMatchObject({ data: [{ current: true, ip: "127.0.0.1" }] });
});

test("a newcomer signs in with the demo's phone, and a page that they open brings some calls", async () => {
  const code = await codeFor(demoPhone);
  const { status, json } = await post("/api/v1/auth/sign-in", { phone: demoPhone, code });
  expect([status, json.organization]).toEqual([200, expect.objectContaining({ name: "Demo" })]);
  const organization = json.organization.id;
  expect(Object.values(gateway.organizations)).not.toContain(organization);
  // Programs bring none, so that they find the books as they have left them.
  const token = json.access_token;
  expect(await accountOf(token)).toMatchObject({ wallet: { balance_points: "25" } });
  await fetch(gateway.console_url, { headers: { accept: "text/html" } });
  // What shows usage waits for the first call, so that nobody reads that there are none.
  const summary = await fetch(`${gateway.console_url}/api/v1/usage/summary`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { today } = (await summary.json()) as { today: { calls: number } };
  expect(today.calls).toBeGreaterThan(0);
  expect(Number((await accountOf(token)).wallet.balance_points)).toBeLessThan(25);
});

test("what happens in an organization is an event on the bus of the stage", async () => {
  const phone = "+8613912345680";
  const { json } = await post("/api/v1/auth/sign-up", { phone, code: await codeFor(phone) });
  const headers = { authorization: `Bearer ${json.access_token}` };
  expect((await post("/api/v1/projects", { name: "Search" }, headers)).status).toBe(200);
  const ours = async () => {
    const answer = await fetch(`${gateway.endpoints.events}/events.json`);
    const { data } = (await answer.json()) as {
      data: { source: string; "detail-type": string; detail: { data: { organization_id: string } } }[];
    };
    return data
      .filter(({ detail }) => detail.data.organization_id === json.organization.id)
      .map((event) => [event.source, event["detail-type"]]);
  };
  // The run that tells it comes every minute.
  await expect
    .poll(ours, { timeout: 90_000, interval: 500 })
    .toContainEqual(["model-gateway", "project_created"]);
  const page = await fetch(gateway.endpoints.events);
  expect(await page.text()).toContain("<b>project_created</b>");
}, 120_000);

test("the stand-ins of all platforms are in the secret that the console reads", async () => {
  const { secrets, platformsSecretArn } = gateway.endpoints;
  const answer = await fetch(secrets, {
    method: "POST",
    headers: { "x-amz-target": "secretsmanager.GetSecretValue" },
    body: JSON.stringify({ SecretId: platformsSecretArn }),
  });
  const { SecretString } = (await answer.json()) as { SecretString: string };
  expect(Object.keys(JSON.parse(SecretString)).sort()).toEqual(["alipay", "sms", "stripe", "wechat"]);
});
