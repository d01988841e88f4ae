/** The local inbox: what the product's own sender posts is listed, printed and shown, and nobody else gets in. */
import { request } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type InboxMessage, inboxSettings, startInbox } from "#infra/local/sandbox/inbox.ts";
import { createMailSender } from "#shared/people/identity/mail/sender.ts";
import { createSmsSender } from "#shared/people/identity/sms/sender.ts";
import { readSmsSettings } from "#shared/people/identity/sms/settings.ts";
import { newsMail } from "#shared/people/news/mail-words.ts";

const printed: InboxMessage[] = [];
// The client of SES signs, and looks for credentials where a function has them.
vi.stubEnv("AWS_REGION", "eu-central-1");
vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
let inbox: Awaited<ReturnType<typeof startInbox>>;
beforeAll(async () => {
  inbox = await startInbox({ onCode: (message) => printed.push(message) });
});
beforeEach(() => printed.splice(0));
afterAll(async () => {
  vi.unstubAllEnvs();
  await inbox.stop();
});

const post = (body: string, headers: Record<string, string> = { "content-type": "application/json" }) =>
  fetch(`${inbox.url}/messages`, { method: "POST", headers, body });

const sendTo = async (phone: string, code: string) => {
  const settings = readSmsSettings(JSON.stringify({ sms: inboxSettings(inbox) }));
  const deps = { settings: async () => settings, countries: ["+86"], log: () => {}, now: Date.now };
  await createSmsSender(deps).send(phone, code, "zh");
};

test("codes are listed by number, the newest first", async () => {
  await sendTo("+8613800000001", "111111");
  await sendTo("+8613800000002", "222222");
  await sendTo("+8613800000001", "333333");
  const list = await fetch(`${inbox.url}/inbox.json?phone=%2B8613800000001`);
  expect(await list.json()).toEqual({
    object: "list",
    data: ["333333", "111111"].map((code) => ({
      phone: "+8613800000001",
      code,
      locale: "zh",
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })),
  });
  expect(printed.map(({ code }) => code)).toEqual(["111111", "222222", "333333"]);
  const page = await fetch(inbox.url);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).toContain("<b>333333</b>");
});

test("mails are taken as SES takes them, by the deployed sender, and shown beside the messages", async () => {
  const settings = { from: "codes@example.com", endpoint: inbox.url };
  const sender = createMailSender(settings, { log: () => {}, now: Date.now });
  await sender.send("ann@example.com", "444444", "zh-CN");
  await sender.send("bob@example.com", "555555", "en");
  const list = await fetch(`${inbox.url}/inbox.json?email=ann%40example.com`);
  const { data } = (await list.json()) as { data: InboxMessage[] };
  expect(data).toEqual([
    {
      ...{ email: "ann@example.com", code: "444444", locale: "zh", subject: "你的验证码" },
      text: expect.stringContaining("444444"),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  ]);
  expect(printed.map(({ email }) => email)).toEqual(["ann@example.com", "bob@example.com"]);
  const text = await (await fetch(inbox.url)).text();
  expect(text).toContain("<summary>Your verification code</summary>");
  const nothing = await fetch(`${inbox.url}/v2/email/outbound-emails`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"Destination":{}}',
  });
  expect(nothing.status).toBe(400);
});

test("a name that leads to this machine reads nothing", async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const asked = request(`${inbox.url}/inbox.json`, { headers: { host: "evil.example" } }, (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  asked.on("error", reject).end();
  expect(await promise).toBe(403);
});

test("what is no message is refused, and a form of a page cannot post one", async () => {
  expect((await post("no JSON")).status).toBe(400);
  expect((await post('{"phone":"+8613800000001","code":1}')).status).toBe(400);
  const message = '{"phone":"+8613800000003","code":"1","locale":"zh"}';
  expect((await post(message, { "content-type": "text/plain" })).status).toBe(404);
  expect(printed).toEqual([]);
});

test("a code of hostile letters is shown as text", async () => {
  await post(JSON.stringify({ phone: "<script>1</script>", code: "<b>", locale: '"' }));
  const text = await (await fetch(inbox.url)).text();
  expect(text).not.toContain("<script>");
  expect(text).toContain("&lt;script&gt;");
});

test("a hundred messages are kept", async () => {
  for (let n = 0; n < 120; n++) await sendTo(`+86138${String(n).padStart(8, "0")}`, "000000");
  const { data } = (await (await fetch(`${inbox.url}/inbox.json`)).json()) as { data: InboxMessage[] };
  expect(data).toHaveLength(100);
  expect(data[0]?.phone).toBe("+8613800000119");
});

test("a mail of news is shown as text, without a code and without being printed", async () => {
  const before = printed.length;
  const settings = { from: "codes@example.com", endpoint: inbox.url };
  const sender = createMailSender(settings, { log: () => {}, now: Date.now });
  const place = {
    organization: "<b>100000</b>",
    locale: "en",
    consoleUrl: undefined,
    unsubscribe: "https://console.example.com/off/1",
    isLast: false,
  };
  const line = { kind: "key_revoked" as const, actor_name: "", before: null, after: null };
  await sender.tell("nea@example.com", newsMail(line, place));
  const listed = await fetch(`${inbox.url}/inbox.json?email=nea@example.com`);
  const { data } = (await listed.json()) as { data: InboxMessage[] };
  const unsubscribe = place.unsubscribe;
  expect(data).toMatchObject([{ subject: "A key was revoked: <b>100000</b>", unsubscribe }]);
  expect(data[0]).not.toHaveProperty("code");
  expect(await (await fetch(inbox.url)).text()).toContain("A key was revoked: &lt;b&gt;100000");
  expect(printed).toHaveLength(before);
});
