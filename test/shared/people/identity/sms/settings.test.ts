/** What is read of the platforms' secret, and how a person who wrote it wrong is told. */
import { describe, expect, test } from "vitest";
import { keptSmsSettings, readSmsSettings } from "#shared/people/identity/sms/settings.ts";
import { serviceCases } from "#test/support/sms-cases.ts";

const limits = { ip_hour: 10, network_hour: 50, prefix_hour: 20, country_day: 1_000 };
const written = (sms: unknown) => readSmsSettings(JSON.stringify({ alipay: {}, sms }));
const aliyun = serviceCases.aliyun?.settings("https://sms.example.com") ?? {};

describe("settings", () => {
  test.each(Object.entries(serviceCases))("of %s are as they were written", (_, { settings }) => {
    const own = settings("https://sms.example.com");
    expect(written(own)).toMatchObject({ ...own, limits });
  });

  test("are not there in an empty secret, or in one for payments alone", () => {
    expect(readSmsSettings("{}")).toBeUndefined();
    expect(readSmsSettings('{"alipay": {}, "sms": null}')).toBeUndefined();
  });

  test("may have limits of their own, and space around a value", () => {
    expect(
      written({ ...aliyun, limits: { ip_hour: 0, country_day: 7 }, access_key_id: " id\n" }),
    ).toMatchObject({
      access_key_id: "id",
      limits: { ...limits, ip_hour: 0, country_day: 7 },
    });
  });

  test.each([
    ["the secret is no JSON object", "no JSON and a secret"],
    ["the secret is no JSON object", "[]"],
    ["sms is no object", '{"sms": "aliyun"}'],
    ["sms.service is none of aliyun, tencent, aws, inbox", '{"sms": {"service": "twilio"}}'],
    ["sms.service is none of aliyun, tencent, aws, inbox", '{"sms": {"service": "toString"}}'],
    ["sms.sign_name is missing", JSON.stringify({ sms: { ...aliyun, sign_name: " " } })],
    ["sms.access_key_secret is missing", JSON.stringify({ sms: { ...aliyun, access_key_secret: 1 } })],
    ["sms.templates is empty", JSON.stringify({ sms: { ...aliyun, templates: {} } })],
    ["sms.templates is no object of texts", JSON.stringify({ sms: { ...aliyun, templates: { zh: 1 } } })],
    ["sms.limits has no minute", JSON.stringify({ sms: { ...aliyun, limits: { minute: 1 } } })],
    [
      "sms.limits.ip_hour is no whole number",
      JSON.stringify({ sms: { ...aliyun, limits: { ip_hour: 1.5 } } }),
    ],
    [
      "sms.templates has a text without {code}",
      JSON.stringify({ sms: { service: "aws", origination_identity: "p", templates: { en: "Hello" } } }),
    ],
  ])("that are wrong: %s", (message, text) => {
    expect(() => readSmsSettings(text)).toThrow(new Error(`platforms: ${message}`));
  });
});

test("a text is read once, and a new one at once", async () => {
  let text = JSON.stringify({ sms: aliyun });
  const settings = keptSmsSettings(async () => text);
  const first = await settings();
  expect(await settings()).toBe(first);
  text = "{}";
  expect(await settings()).toBeUndefined();
});
