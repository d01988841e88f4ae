/** The senders as they are deployed: bundled, with each service's client in a part that is loaded when it is used. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleName } from "#infra/bundles/bundle-files.ts";
import { bundleFunction } from "#infra/bundles/bundles.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import type * as Entry from "#test/shared/people/identity/sms/sms-entry.ts";
import { phone, type ServiceCase, serviceCases } from "#test/support/sms-cases.ts";
import { startSmsService } from "#test/support/sms-endpoint.ts";

const outdir = mkdtempSync(join(tmpdir(), "sms-"));
let service: Awaited<ReturnType<typeof startSmsService>>;
beforeAll(async () => {
  bundleFunction("test/shared/people/identity/sms/sms-entry.ts", defaultCatalog, outdir);
  service = await startSmsService();
});
afterAll(async () => {
  await service?.stop();
  rmSync(outdir, { recursive: true });
});

/** What only the code of a service's client has in it. */
const marks = { aliyun: "ACS3-HMAC-SHA256", tencent: "TC3-HMAC-SHA256", aws: "PinpointSMSVoiceV2" };

test("the start has none of the services' clients, and each client is in one part", () => {
  const start = readFileSync(join(outdir, bundleName), "utf8");
  expect(statSync(join(outdir, bundleName)).size).toBeLessThan(64 * 1024);
  const parts = readdirSync(outdir).filter((file) => file !== bundleName);
  for (const [name, mark] of Object.entries(marks)) {
    expect(start).not.toContain(mark);
    const holders = parts.filter((file) => readFileSync(join(outdir, file), "utf8").includes(mark));
    expect(holders, name).toEqual([expect.stringMatching(new RegExp(`^${name}-`))]);
  }
});

test.each(Object.keys(marks))("%s sends from its part", async (name) => {
  const bundle = createRequire(import.meta.url)(join(outdir, bundleName)) as typeof Entry;
  const { settings, success, check } = serviceCases[name] as ServiceCase;
  const read = bundle.readSmsSettings(JSON.stringify({ sms: settings(service.url) }));
  const deps = { settings: async () => read, countries: ["+86"], log: () => {}, now: Date.now };
  const asked = service.answer(success);
  await bundle.createSmsSender(deps).send(phone, "042137", "zh-CN");
  expect(asked).toHaveLength(1);
  for (const request of asked) check(request);
});
