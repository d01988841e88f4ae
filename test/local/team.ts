/** What an owner sets of an organization on `npm start`: policies, projects, keys at providers, and webhooks. */
import { expect } from "vitest";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { keysOf } from "#shared/people/identity/identity-keys.ts";
import { unsubscribeUrl } from "#shared/people/news/unsubscribe.ts";
import type { Asking } from "./asking.ts";

/** An owner sets, changes and takes away each of them. */
export async function teamIsSet(token: string, asking: Asking): Promise<void> {
  await policies(token, asking);
  await projects(token, asking);
  await providerKeys(token, asking);
  await webhooks(token, asking);
  await news(token, asking);
}

async function news(token: string, { ask, refused, gateway }: Asking): Promise<void> {
  const thresholds = { below_points: "50", below_days: null };
  await ask("setWalletThresholds", { token, body: thresholds });
  expect(await ask("showWalletThresholds", { token })).toMatchObject(thresholds);
  await ask("changeMails", { token, body: { money: "none" } });
  await ask("showMails", { token });
  const id = await linkOf(await ask("showAccount", { token }), gateway);
  const form = { "List-Unsubscribe": "One-Click" };
  await ask("showUnsubscribe", { id });
  await ask("unsubscribe", { id, form });
  const { groups } = await ask("showMails", { token });
  expect(groups.find(({ group }: { group: string }) => group === "people").level).toBe("none");
  for (const name of ["showUnsubscribe", "unsubscribe"])
    expect(await refused(name, { id: "1.nothing" })).toBe(40400);
}

interface Account {
  user: { id: string };
  organization: { id: string };
}

/** What a link ends with that turns off mails about people, as a mail to this account would have it. */
async function linkOf({ user, organization }: Account, { endpoints }: Asking["gateway"]): Promise<string> {
  const answer = await fetch(endpoints.secrets, {
    method: "POST",
    headers: { "x-amz-target": "secretsmanager.GetSecretValue" },
    body: JSON.stringify({ SecretId: endpoints.accountsSecretArn }),
  });
  const { SecretString } = (await answer.json()) as { SecretString: string };
  const { current } = keysOf(readPeppers(SecretString));
  const scope = { user: user.id, organization: organization.id, group: "people", locale: "en" } as const;
  return unsubscribeUrl("", scope, current).split("/").at(-1) ?? "";
}

async function policies(token: string, { ask }: Asking): Promise<void> {
  const body = { level: "project", id: "search", policy: { models: ["openai/*"] } };
  await ask("changePolicy", { token, body });
  expect((await ask("listPolicies", { token })).data).toMatchObject([body]);
}

async function projects(token: string, { ask, refused }: Asking): Promise<void> {
  const { id } = await ask("createProject", { token, body: { name: "Search team" } });
  await ask("changeProject", { token, id, body: { status: "archived" } });
  expect(await ask("showProject", { token, id })).toMatchObject({ name: "Search team", status: "archived" });
  expect((await ask("listProjects", { token })).data.map((each: { id: string }) => each.id)).toContain(id);
  expect(await refused("showProject", { token, id: "nothing" })).toBe(40400);
}

/** The demo provider takes any key but one with the word "bad". */
async function providerKeys(token: string, { ask, refused }: Asking): Promise<void> {
  const key = "sk-proj-of-the-team-0123456789";
  expect(await refused("putProviderKey", { token, id: "openai", body: { key: `bad-${key}` } })).toBe(40000);
  await ask("putProviderKey", { token, id: "openai", body: { key, use: "first" } });
  const { data } = await ask("listProviderKeys", { token });
  const own = data.filter(({ last_four }: { last_four: string | null }) => last_four !== null);
  expect(own).toMatchObject([{ provider: "openai", use: "first", last_four: "6789" }]);
  await ask("removeProviderKey", { token, id: "openai" });
}

async function webhooks(token: string, { ask, gateway }: Asking): Promise<void> {
  const url = `${gateway.endpoints.inbox}/hooks`;
  const { id } = await ask("createWebhook", { token, body: { url } });
  await ask("rotateWebhookSecret", { token, id });
  const test = await ask("testWebhook", { token, id });
  expect(test.state).toBe("delivered");
  const { data } = await ask("listDeliveries", { token, id });
  expect(data.map((each: { id: string }) => each.id)).toContain(test.id);
  await ask("replayDelivery", { token, id, body: { message: test.id } });
  await ask("changeWebhook", { token, id, body: { enabled: false } });
  expect((await ask("listWebhooks", { token })).data).toMatchObject([{ id, enabled: false }]);
  await ask("deleteWebhook", { token, id });
}
