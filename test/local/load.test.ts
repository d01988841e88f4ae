/** A thousand calls at once through two gateways on one store, on a balance that pays for fifty. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { parsePoints } from "#shared/billing/points.ts";
import { balanceOf, type LocalGateway, startLocal, unhurriedQueue } from "#test/support/local.ts";

import { customer, expectCleanAudit, catalogAt as moneyCatalogAt, providerKey } from "#test/support/money.ts";
import { rushAtOnce } from "#test/support/rush.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

/** A picture costs 0.1 points whatever is in it, so a call's hold is its cost. */
function catalogAt(url: string): unknown {
  const catalog = moneyCatalogAt(url) as { models: { id: string }[] };
  const image = { price: { mode: "per_image", unit_price: "0.1" }, discount_rate: "1" };
  const models = catalog.models.map((model) =>
    model.id === "test/image-1" ? { ...model, ...image } : model,
  );
  return { ...catalog, models };
}

const picture = { created: 1_760_000_000, data: [{ url: "https://pictures.test/1" }] };

let upstream: Upstream;
let first: LocalGateway;
let second: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  first = await startLocal({ catalog: catalogAt(upstream.url), env: { ...providerKey, ...unhurriedQueue } });
  second = await startLocal({ env: { ...providerKey, ATTACH: first.readyFile } });
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
  await upstream?.stop();
});

test("1,000 calls of 0.1 at once on a balance of 5: exactly 50 admitted, the balance 0, the audit clean", async () => {
  const { key } = await customer(first, { points: parsePoints("5") });
  const send = (index: number) =>
    fetch(`${(index % 2 === 0 ? first : second).url}/api/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "test/image-1", prompt: "A lamp." }),
    });
  const statuses = await rushAtOnce(upstream, { calls: 1000, send, reply: picture });
  expect(Object.groupBy(statuses, String)).toMatchObject({
    200: expect.objectContaining({ length: 50 }),
    402: expect.objectContaining({ length: 950 }),
  });
  expect(upstream.requests).toHaveLength(50);
  await expectCleanAudit(first);
  expect(await balanceOf(first, key)).toBe("0");
  // Nothing is held and nothing is left: the next call is refused for good.
  expect((await send(0)).status).toBe(402);
}, 30_000);
