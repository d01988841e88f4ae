/** A thousand calls at once through two gateways on one store, on a balance that pays for fifty. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
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
  // On a busy machine the embedded database may be late. Such a call has held nothing, and is sent again.
  const send = async (index: number): Promise<Response> => {
    const reply = await fetch(`${(index % 2 === 0 ? first : second).url}/api/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "test/image-1", prompt: "A lamp." }),
    });
    return reply.status === 500 ? send(index) : reply;
  };
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
});

test("the dashboard counts the calls of both gateways, by the metric filters of the template", async () => {
  const { dashboard } = first.endpoints;
  const board = (await (await fetch(`${dashboard}/dashboard.json`)).json()) as {
    sections: { charts: { title: string; lines: { label: string; values: (number | null)[] }[] }[] }[];
    alarms: { name: string; state: string }[];
  };
  const sums = (title: string) => {
    const chart = board.sections.flatMap(({ charts }) => charts).find((each) => each.title === title);
    return chart?.lines.map(({ label, values }) => [
      label,
      values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
    ]);
  };
  const route = "/api/v1/images/generations";
  expect(sums("Calls by route")).toEqual([[route, 50]]);
  const errors = sums("Errors by code and route") ?? [];
  expect(errors).toContainEqual([`40201 ${route}`, 951]);
  const [[, points] = []] = sums("Points by model") ?? [];
  expect(points).toBeCloseTo(5);
  const invocations = Object.fromEntries(sums("Invocations") ?? []);
  expect(invocations.settle).toBeGreaterThan(0);
  expect(board.alarms).toContainEqual(
    expect.objectContaining({ name: "CallsFailed", ...(errors.length === 1 && { state: "ok" }) }),
  );
  const page = await fetch(`${dashboard}/`);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).toContain(`data-chart="{&quot;unit&quot;:&quot;calls a minute&quot;`);
  expect(first.output()).toContain(dashboard);
});
