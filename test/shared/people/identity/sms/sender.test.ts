/** The senders against a service on loopback: what each service is asked, and what becomes of its answers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LogFields } from "#shared/base/platform/log.ts";
import { createSmsSender } from "#shared/people/identity/sms/sender.ts";
import { readSmsSettings } from "#shared/people/identity/sms/settings.ts";
import { code, keys, phone, type ServiceCase, serviceCases } from "#test/support/sms-cases.ts";
import { startSmsService } from "#test/support/sms-endpoint.ts";

let service: Awaited<ReturnType<typeof startSmsService>>;
beforeAll(async () => {
  service = await startSmsService();
});
afterAll(() => service.stop());

function senderOf({ settings }: ServiceCase, timeoutMs?: number) {
  const logs: { level: string; event: string; fields: LogFields }[] = [];
  const read = readSmsSettings(JSON.stringify({ sms: settings(service.url) }));
  const sender = createSmsSender({
    settings: async () => read,
    countries: ["+86"],
    log: (level, event, fields = {}) => void logs.push({ level, event, fields }),
    now: Date.now,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  return { send: (locale = "zh-CN") => sender.send(phone, code, locale), logs };
}

const refusal = { key: "internal", message: "The message could not be sent. Try again in a minute." };

describe.each(Object.entries(serviceCases))("%s", (name, each) => {
  test("is asked once, with its own signature", async () => {
    const { send, logs } = senderOf(each);
    const asked = service.answer(each.success);
    await send();
    expect(asked).toHaveLength(1);
    for (const request of asked) each.check(request);
    expect(logs).toEqual([
      {
        level: "info",
        event: "sms_sent",
        fields: { service: name, country: "+86", duration_ms: expect.any(Number) },
      },
    ]);
  });

  test("that refuses is one error, and one line with the service's own word and no number", async () => {
    for (const [answer, word] of [
      [each.throttled, each.codes[0]],
      [each.badNumber, each.codes[1]],
    ] as const) {
      const { send, logs } = senderOf(each);
      const asked = service.answer(answer);
      await expect(send()).rejects.toMatchObject(refusal);
      expect(asked).toHaveLength(1);
      expect(logs).toMatchObject([
        { level: "error", event: "sms_not_sent", fields: { service: name, last_four: "8000", reason: word } },
      ]);
      expect(JSON.stringify(logs)).not.toContain("13800138000");
      expect(JSON.stringify(logs)).not.toContain(keys.secret);
    }
  });

  test("that fails is asked once, because a repetition could send twice", async () => {
    const { send, logs } = senderOf(each);
    const asked = service.answer({ status: 500, body: { Code: "InternalError", Message: phone } });
    await expect(send()).rejects.toMatchObject(refusal);
    expect(asked).toHaveLength(1);
    expect(logs).toMatchObject([{ event: "sms_not_sent", fields: { upstream_status: 500 } }]);
    expect(JSON.stringify(logs)).not.toContain("13800138000");
  });

  test("that does not answer is given up in time, and its connection is closed", async () => {
    const { send, logs } = senderOf(each, 300);
    const asked = service.answer("hang");
    await expect(send()).rejects.toMatchObject(refusal);
    expect(logs).toMatchObject([{ event: "sms_not_sent", fields: { service: name, last_four: "8000" } }]);
    expect(logs[0]?.fields.duration_ms).toBeLessThan(3_000);
    await service.closed();
    expect(asked).toHaveLength(1);
  });
});

test("another language takes its own template, and one that has none the first", async () => {
  const aliyun = serviceCases.aliyun as ServiceCase;
  for (const [locale, template] of [
    ["en-GB", "SMS_2"],
    ["fr", "SMS_1"],
    ["__proto__", "SMS_1"],
  ] as const) {
    const { send } = senderOf(aliyun);
    const asked = service.answer(aliyun.success);
    await send(locale);
    expect(new URLSearchParams(asked[0]?.target.split("?")[1]).get("TemplateCode")).toBe(template);
  }
});

test("numbers abroad keep their country for Aliyun", async () => {
  const aliyun = serviceCases.aliyun as ServiceCase;
  const settings = readSmsSettings(JSON.stringify({ sms: aliyun.settings(service.url) }));
  const sender = createSmsSender({
    settings: async () => settings,
    countries: [],
    log: () => {},
    now: Date.now,
  });
  const asked = service.answer(aliyun.success);
  await sender.send("+85261234567", code, "en");
  expect(new URLSearchParams(asked[0]?.target.split("?")[1]).get("PhoneNumbers")).toBe("85261234567");
});

describe("a stage", () => {
  const sending = async (settings: () => Promise<ReturnType<typeof readSmsSettings>>) => {
    const logs: [string, LogFields | undefined][] = [];
    const log = (_level: string, event: string, fields?: LogFields) => void logs.push([event, fields]);
    await expect(
      createSmsSender({ settings, countries: [], log, now: Date.now }).send(phone, code, "zh"),
    ).rejects.toMatchObject(refusal);
    return logs;
  };

  test("without settings says that it has none", async () => {
    expect(await sending(async () => undefined)).toMatchObject([
      ["sms_not_sent", { last_four: "8000", reason: "the platforms' secret has no sms" }],
    ]);
  });

  test("whose settings are wrong says which member it is", async () => {
    const wrong = async () => readSmsSettings('{"sms": {"service": "aliyun"}}');
    expect(await sending(wrong)).toMatchObject([
      ["sms_not_sent", { reason: "platforms: sms.access_key_id is missing" }],
    ]);
  });

  test("that cannot reach its service says so", async () => {
    const closed = await startSmsService();
    await closed.stop();
    for (const { settings } of Object.values(serviceCases)) {
      const read = readSmsSettings(JSON.stringify({ sms: settings(closed.url) }));
      const [line] = await sending(async () => read);
      expect(line).toMatchObject(["sms_not_sent", { reason: expect.stringMatching(/\w/) }]);
      expect(JSON.stringify(line)).not.toContain("13800138000");
    }
  });
});
