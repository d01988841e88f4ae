/** The message that a plan ends: what each service is asked, and that nobody is told where a stage has no template. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Log, LogFields } from "#shared/base/platform/log.ts";
import { createSmsSender } from "#shared/people/identity/sms/sender.ts";
import { readSmsSettings } from "#shared/people/identity/sms/settings.ts";
import { phone, serviceCases } from "#test/support/sms-cases.ts";
import { type Asked, startSmsService } from "#test/support/sms-endpoint.ts";

let service: Awaited<ReturnType<typeof startSmsService>>;
beforeAll(async () => {
  service = await startSmsService();
});
afterAll(() => service.stop());

const ending = { plan: "pro", days: 3 };
const own = { zh: "SMS_7", en: "SMS_8" };
const texts = { zh: "{plan} 套餐还有 {days} 天到期", en: "Your plan {plan} ends in {days} days" };

function senderOf(name: string, more: object, log: Log = () => {}) {
  const each = serviceCases[name];
  if (!each) throw new Error(name);
  const settings = readSmsSettings(JSON.stringify({ sms: { ...each.settings(service.url), ...more } }));
  const sender = createSmsSender({
    ...{ settings: async () => settings, countries: ["+86"], log, now: Date.now },
  });
  return { sender, asked: service.answer(each.success), failing: () => service.answer(each.throttled) };
}

test.each<[string, object, (asked: Asked | undefined) => unknown, unknown]>([
  [
    "aliyun",
    own,
    (asked) => {
      const query = new URLSearchParams(asked?.target.split("?")[1]);
      return [query.get("TemplateCode"), query.get("TemplateParam")];
    },
    ["SMS_7", '{"plan":"pro","days":"3"}'],
  ],
  [
    "tencent",
    own,
    (asked) => {
      const { TemplateId, TemplateParamSet } = JSON.parse(asked?.body ?? "{}");
      return [TemplateId, TemplateParamSet];
    },
    ["SMS_7", ["pro", "3"]],
  ],
  ["aws", texts, (asked) => JSON.parse(asked?.body ?? "{}").MessageBody, "pro 套餐还有 3 天到期"],
])("%s is asked by the template for it", async (name, expiry_templates, read, wanted) => {
  const { sender, asked } = senderOf(name, { expiry_templates });
  expect(await sender.planEnds(phone, ending, "zh-CN")).toBe(true);
  expect(asked.map(read)).toEqual([wanted]);
});

test.each(Object.keys(serviceCases))("%s without a template tells nobody", async (name) => {
  const { sender, asked } = senderOf(name, {});
  expect(await sender.planEnds(phone, ending, "zh")).toBe(false);
  expect(asked).toEqual([]);
});

test("one that fails has a line of its own, which does not say that nobody can sign in", async () => {
  const lines: [event: string, fields: LogFields | undefined][] = [];
  const log: Log = (_level, event, fields) => void lines.push([event, fields]);
  const { sender, failing } = senderOf("aliyun", { expiry_templates: own }, log);
  failing();
  await expect(sender.planEnds(phone, ending, "zh")).rejects.toMatchObject({ key: "internal" });
  const unread = createSmsSender({
    ...{
      settings: () => Promise.reject(new Error("platforms: sms is wrong")),
      countries: [],
      log,
      now: Date.now,
    },
  });
  await expect(unread.planEnds(phone, ending, "zh")).rejects.toMatchObject({ key: "internal" });
  expect(lines).toMatchObject([
    ["plan_notice_not_sent", { service: "aliyun", last_four: "8000" }],
    ["plan_notice_not_sent", { reason: "platforms: sms is wrong" }],
  ]);
});

test.each<[string, object, string]>([
  ["aliyun", {}, "platforms: sms.expiry_templates is empty"],
  ["tencent", { zh: "" }, "platforms: sms.expiry_templates is no object of texts"],
  ["aws", { zh: "soon" }, "platforms: sms.expiry_templates has a text without {days}"],
])("%s with %j is refused", (name, expiry_templates, problem) => {
  expect(() => senderOf(name, { expiry_templates })).toThrow(problem);
});
