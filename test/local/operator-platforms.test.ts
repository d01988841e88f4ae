/** The operator's commands on the secret `platforms`: what the console pays and sends messages with. */
import { beforeEach, expect, test } from "vitest";
import { arns, useOperatedSecrets } from "#test/support/operated-secrets.ts";

const secrets = useOperatedSecrets();
const stripe = { secret_key: "sk_live_4711", webhook_secret: "whsec_4711", currencies: ["USD"] };
const sms = { service: "inbox", url: "http://127.0.0.1:9/inbox" };
const stored = () => JSON.parse(secrets.values.get(arns.platforms) ?? "");
const listed = async () => (await secrets.operate("secret list")).value.slice(-4);

beforeEach(() => {
  secrets.values.set(arns.providers, "{}");
  secrets.values.set(arns.platforms, JSON.stringify({ sms }));
});

test("a channel is put beside what is there, and listed without a value", async () => {
  const put = await secrets.operate("secret put stripe", JSON.stringify(stripe, null, 2));
  expect(put).toMatchObject({ code: 0, value: { name: "stripe", state: "set", used_by: ["console"] } });
  expect(stored()).toEqual({ sms, stripe });
  const lines = (await listed()) as { name: string; state: string }[];
  expect(lines.map(({ name, state }) => `${name} ${state}`)).toEqual([
    "alipay missing",
    "wechat missing",
    "stripe set",
    "sms set",
  ]);
  expect((await secrets.look("secret list")).out).not.toContain("4711");
  expect(secrets.values.get(arns.providers)).toBe("{}");
});

test.each([
  ["stripe", "", "the value is no JSON object: nothing was changed"],
  ["stripe", "[]", "the value is no JSON object: nothing was changed"],
  ["stripe", '{"secret_key": sk_live_4711}', "the value is no JSON object: nothing was changed"],
  ["stripe", "{}", "the value is empty: nothing was changed; secret remove stripe takes it away"],
  ["stripe", JSON.stringify({ ...stripe, webhook_secret: "" }), "webhook_secret"],
  ["wechat", JSON.stringify({ app_id: "sk_live_4711" }), "wechat"],
  ["sms", '{"service":"pigeon"}', "sms.service is none of"],
])("%s is not put from %j, and nothing of it is quoted", async (name, typed, reason) => {
  const { code, error } = await secrets.operate(`secret put ${name}`, typed);
  expect([code, error]).toEqual([2, expect.stringContaining(reason)]);
  expect(error).not.toContain("4711");
  expect(stored()).toEqual({ sms });
});

test("what somebody has written by hand and nobody can use is wrong, by the name of the field", async () => {
  const wrong = { ...stripe, secret_key: 4711 };
  secrets.values.set(
    arns.platforms,
    JSON.stringify({ stripe: wrong, sms: { service: "pigeon" }, alipay: {} }),
  );
  const lines = await listed();
  expect(lines).toMatchObject([
    { name: "alipay", state: "missing", problem: null },
    { name: "wechat", state: "missing", problem: null },
    { name: "stripe", state: "wrong", problem: expect.stringContaining("secret_key") },
    { name: "sms", state: "wrong", problem: expect.stringContaining("sms.service") },
  ]);
  expect(JSON.stringify(lines)).not.toContain("4711");
});

test("a channel is removed by its name, once", async () => {
  await secrets.operate("secret put stripe", JSON.stringify(stripe));
  expect((await secrets.operate("secret remove stripe")).value).toMatchObject({ state: "missing" });
  expect(stored()).toEqual({ sms });
  const again = await secrets.operate("secret remove stripe");
  expect([again.code, again.error]).toEqual([2, "stripe is not set; secret list shows the names\n"]);
});

test("of two who put at once are both there", async () => {
  const [one, two] = await Promise.all([
    secrets.operate("secret put stripe", JSON.stringify(stripe)),
    secrets.operate("secret remove sms"),
  ]);
  expect([one.code, two.code]).toEqual([0, 0]);
  expect(stored()).toEqual({ stripe });
});

test.each(["accounts", "pepper"])("%s is a secret of its own, which is rotated and not put", async (name) => {
  const { code, error } = await secrets.operate(`secret put ${name}`, "x");
  expect([code, error]).toEqual([
    2,
    `${name} is no name in a secret, but a secret of its own: ${name} rotate replaces it\n`,
  ]);
});

test("a secret that is no JSON object is left alone, and not quoted", async () => {
  secrets.values.set(arns.platforms, '{"stripe": sk_live_4711}');
  const { code, error } = await secrets.operate("secret put stripe", JSON.stringify(stripe));
  expect([code, error]).toEqual([2, "the secret platforms is no JSON object; repair it first\n"]);
});
