/** `sms status` on the real counts: what has been let pass today, what is stopped, and no credential. */
import { expect, test } from "vitest";
import { raiseMessages, smsStatus } from "#shared/edges/operator/sms.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { readSmsSettings } from "#shared/people/identity/sms/settings.ts";
import { guarded } from "#test/support/guarded.ts";
import { serviceCases } from "#test/support/sms-cases.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const velocity = createVelocity(db.aws, db.tables);
const at = Date.parse("2026-11-23T23:30:00.000Z");
const high = { ip_hour: 1e6, network_hour: 1e6, prefix_hour: 1e6, country_day: 1e6 };

test("of a stage that sends", async () => {
  const settings = readSmsSettings(
    JSON.stringify({ sms: serviceCases.tencent?.settings("http://127.0.0.1:9") }),
  );
  const made = guarded(velocity, { at, limits: high, countries: ["+86", "+852"] });
  for (let n = 0; n < 50; n++) await made.ask(`+86138000${String(n).padStart(5, "0")}`, "192.0.2.1");
  await made.ask("+85261234567", "192.0.2.1");
  const status = await smsStatus({ velocity, settings: async () => settings, now: () => at });
  expect(status).toEqual({
    service: "tencent",
    languages: ["zh", "en"],
    limits: { ip_hour: 10, network_hour: 50, prefix_hour: 20, country_day: 1_000 },
    day: "2026-11-23",
    messages: 51,
    mails: 0,
    raised: 0,
    countries: [
      { country: "+86", messages: 50 },
      { country: "+852", messages: 1 },
    ],
    stopped: [{ block: "+8613800", until: "2026-11-24T00:30:00.000Z" }],
  });
  expect(JSON.stringify(status)).not.toContain("secret");
  const after = { velocity, settings: async () => settings };
  expect(await smsStatus({ ...after, now: () => at + 3_599_000 })).toMatchObject({
    day: "2026-11-24",
    messages: 0,
    mails: 0,
    stopped: [{ block: "+8613800" }],
  });
  expect(await smsStatus({ ...after, now: () => at + 3_600_000 })).toMatchObject({ stopped: [] });
});

test("of a stage without a service", async () => {
  const now = () => at + 3 * 86_400_000;
  expect(await smsStatus({ velocity, settings: async () => undefined, now })).toEqual({
    service: null,
    languages: [],
    limits: null,
    day: "2026-11-26",
    messages: 0,
    mails: 0,
    raised: 0,
    countries: [],
    stopped: [],
  });
});

test("of a day to which an operator has added, twice", async () => {
  const now = () => at + 5 * 86_400_000;
  expect(await raiseMessages(500, { velocity, now })).toEqual({ day: "2026-11-28", raised: 500 });
  expect(await raiseMessages(20, { velocity, now })).toEqual({ day: "2026-11-28", raised: 520 });
  const status = await smsStatus({ velocity, settings: async () => undefined, now });
  expect(status).toMatchObject({ messages: 0, raised: 520 });
  const tomorrow = () => now() + 86_400_000;
  expect(await smsStatus({ velocity, settings: async () => undefined, now: tomorrow })).toMatchObject({
    raised: 0,
  });
});
