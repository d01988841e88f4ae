/** The vendors' own SDKs read an answer out of the cache, whole and streamed, as they read a provider's. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { cachedCatalog } from "#test/support/cached.ts";
import { speeches } from "#test/support/crossed.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { startVendors, type Vendors } from "#test/support/vendors.ts";
import { cachedClients } from "./cached-clients.ts";

let vendors: Vendors;
let gateway: LocalGateway;
beforeAll(async () => {
  vendors = await startVendors();
  const catalog = cachedCatalog(vendors.url) as { plans: { pro: object } };
  const pro = { ...catalog.plans.pro, rpm: null, tpm: null, tpd: null };
  gateway = await startLocal({
    catalog: { ...catalog, plans: { ...catalog.plans, pro } },
    env: { TEST_API_KEY: "upstream-secret" },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await vendors?.stop();
});

const asking = () =>
  cachedClients(gateway, gateway.keys.subscription, {
    question: "Say hello.",
    headers: { "x-gateway-cache": "exact" },
  });

test.each(speeches)("%s", async (client) => {
  const { whole, streamed } = asking()[client];
  const model = `${client}/model-1`;
  const fresh = await whole(model);
  expect(fresh.text).toMatch(/\w/);
  expect(fresh.counts.every((count) => Number(count) > 0)).toBe(true);
  // What is kept is written after the answer has left.
  await expect.poll(async () => (await whole(model)).counts).toEqual([0, 0]);
  expect(await whole(model)).toEqual({ text: fresh.text, counts: [0, 0] });
  expect(await streamed(model)).toEqual({ text: fresh.text, counts: [0, 0] });
});
