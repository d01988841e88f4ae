/** The sender of mails, over a service that answers like SES: what is sent, and what the log says where it is not. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { LogFields } from "#shared/base/platform/log.ts";
import { createMailSender } from "#shared/people/identity/mail/sender.ts";
import { codeMail, planMail } from "#shared/people/identity/mail/words.ts";
import { startSmsService } from "#test/support/sms-endpoint.ts";

let service: Awaited<ReturnType<typeof startSmsService>>;
beforeAll(async () => {
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  service = await startSmsService();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.stop();
});

function opened() {
  const lines: { level: string; event: string; fields: LogFields }[] = [];
  const log = (level: string, event: string, fields: LogFields = {}) =>
    void lines.push({ level, event, fields });
  const settings = { from: "codes@example.org", endpoint: service.url };
  return { sender: createMailSender(settings, { log, now: Date.now }), lines };
}

test("a mail is one request, with one recipient, in the recipient's language, as text and as HTML", async () => {
  const { sender, lines } = opened();
  const asked = service.answer({ status: 200, body: { MessageId: "m" } });
  await sender.send("ann@example.com", "042137", "zh-CN");
  expect(asked).toHaveLength(1);
  expect(asked[0]?.target).toBe("/v2/email/outbound-emails");
  expect(asked[0]?.headers.authorization).toContain("/eu-central-1/ses/aws4_request");
  const { subject, text, html } = codeMail("042137", "zh");
  const utf8 = (Data: string) => ({ Data, Charset: "UTF-8" });
  expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
    FromEmailAddress: "codes@example.org",
    Destination: { ToAddresses: ["ann@example.com"] },
    Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text), Html: utf8(html) } } },
  });
  expect(lines).toMatchObject([{ level: "info", event: "sms_sent", fields: { service: "ses" } }]);
});

test("a refusal is one error, one request and one line, which names the domain and nothing else of the address", async () => {
  const { sender, lines } = opened();
  const asked = service.answer({
    status: 400,
    body: { message: "ann@example.com is not verified" },
    headers: { "x-amzn-errortype": "MessageRejected" },
  });
  await expect(sender.send("ann@example.com", "042137", "en")).rejects.toThrow("could not be sent");
  expect(asked).toHaveLength(1);
  expect(lines).toMatchObject([
    {
      ...{ level: "error", event: "sms_not_sent" },
      fields: { service: "ses", domain: "example.com", reason: "MessageRejected", upstream_status: 400 },
    },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/ann|042137/);
});

test("a notice of a plan's end that fails is another line", async () => {
  const { sender, lines } = opened();
  service.answer({ status: 200, body: { MessageId: "m" } });
  expect(await sender.planEnds("ann@example.com", { plan: "pro", days: 3 }, "en")).toBe(true);
  const asked = service.answer({ status: 500, body: {} });
  await expect(sender.planEnds("ann@example.com", { plan: "pro", days: 3 }, "en")).rejects.toThrow();
  expect(lines.map(({ event }) => event)).toEqual(["sms_sent", "plan_notice_not_sent"]);
  // A repetition could send twice.
  expect(asked).toHaveLength(1);
});

test.each(["en", "zh", "zh-CN", "fr", ""])(
  "a mail in %j loads nothing, leads nowhere, and its subject has no code",
  (locale) => {
    for (const mail of [codeMail("042137", locale), planMail({ plan: '<b>&"', days: 1 }, locale)]) {
      expect(mail.html).not.toMatch(/\b(?:src|href|url|http|cid|script)\b/i);
      expect(mail.html).not.toContain("<b>&");
      expect(mail.subject).not.toMatch(/\d{6}|[\r\n]/);
    }
    expect(codeMail("042137", locale).text.split("\n")[0]).toBe("042137");
    expect(codeMail("042137", locale).html).toContain("<b>042137</b>");
  },
);
