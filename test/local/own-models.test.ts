/** Models of one's own on a running gateway: they answer at once, are billed as they are priced, and go at once. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { balanceOf, type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { completion, expectCleanAudit } from "#test/support/money.ts";
import { runHere } from "#test/support/streams.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

const folder = mkdtempSync(join(tmpdir(), "own-models-"));
const file = (name: string) => join(folder, name);
let upstream: Upstream;
let gateway: LocalGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  writeFileSync(file("catalog.json"), JSON.stringify({ extends: relative(folder, defaultCatalog) }));
  gateway = await startLocal({ env: { CATALOG: folder } });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// A test that is played once more begins without it too.
afterEach(async () => void (await remove()));

const like = "deepseek/deepseek-v4-pro";
const model = "vllm/deepseek-v4-pro";
const add = (...flags: string[]) =>
  operator(
    gateway,
    "model",
    "add",
    "--like",
    like,
    "--provider",
    "vllm",
    "--url",
    `${upstream.url}/v1`,
    ...flags,
  );
const remove = () => operator(gateway, "model", "remove", model);

async function call(
  name = model,
): Promise<{ status: number; body: { model?: string; error?: { message: string } } }> {
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.keys.payg}`, "content-type": "application/json" },
    body: JSON.stringify({ model: name, max_tokens: 50, messages: [{ role: "user", content: "Hello" }] }),
  });
  return { status: reply.status, body: (await reply.json()) as object };
}

test("a model of one's own answers once it is added, and is not found once it is removed", async () => {
  upstream.json(completion);
  expect((await call()).status).toBe(404);
  const { code, value } = await add("--upstream-model", "deepseek-ai/V4");
  expect([code, value.in_force, value.price_is]).toEqual([0, true, "free, because it runs on this machine"]);
  expect((await call()).status).toBe(200);
  const asked = upstream.requests.at(-1);
  expect(JSON.parse(String(asked?.body))).toMatchObject({ model: "deepseek-ai/V4" });
  // Such a server takes any key, and none is set.
  expect(asked?.headers.authorization).toBe("Bearer none");
  expect(await balanceOf(gateway, gateway.keys.payg)).toBe("1000");

  expect((await remove()).code).toBe(0);
  const gone = await call();
  expect([gone.status, gone.body.error?.message]).toEqual([404, expect.stringContaining(`\`${like}\``)]);
});

test("it is billed at its own price, which the books keep, and calls in flight keep theirs", async () => {
  const waits = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  upstream.on(async (_, response) => {
    asked.resolve();
    await waits.promise;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
  });
  const before = Number(await balanceOf(gateway, gateway.keys.payg));
  await add("--input", "100000", "--output", "1000000");
  const inFlight = call();
  await asked.promise;
  await remove();
  upstream.json(completion);
  await add("--input", "200000", "--output", "1000000");
  expect((await call()).status).toBe(200);
  waits.resolve();
  expect((await inFlight).status).toBe(200);
  // 10 and 4 tokens: 1 + 4 points, and 2 + 4 points.
  await expect.poll(() => balanceOf(gateway, gateway.keys.payg)).toBe(String(before - 11));
  await expect
    .poll(async () => {
      const { value } = await operator(gateway, "catalog", "prices", "--model", model);
      const prices = value as unknown as { price: { input: string }; partial: boolean }[];
      return prices.map(({ price: { input }, partial }) => [input, partial]);
    })
    .toEqual(
      expect.arrayContaining([
        ["100000", false],
        ["200000", false],
      ]),
    );
  await expectCleanAudit(gateway);
});

test("what the check refuses is told, and the catalog before it stays", async () => {
  await add();
  const before = readFileSync(file("vllm.json"), "utf8");
  writeFileSync(file("vllm.json"), before.replace('"chat"', '"chatter"'));
  await expect.poll(() => gateway.output()).toContain("is not taken");
  expect(gateway.output()).toMatch(/vllm\.json:\d+:\d+: models\[\d+\]\.capabilities\[0\]/);
  upstream.json(completion);
  expect((await call()).status).toBe(200);
  writeFileSync(file("vllm.json"), before.replace('"vllm/deepseek-v4-pro"', '"vllm/by-hand"'));
  await expect.poll(async () => (await call("vllm/by-hand")).status).toBe(200);
  writeFileSync(file("vllm.json"), before);
  await expect.poll(async () => (await call()).status).toBe(200);
});

test("`GET /health` and `doctor` name the catalog that is in force", async () => {
  const digest = async () =>
    ((await (await fetch(`${gateway.url}/health`)).json()) as { catalog: { digest: string } }).catalog.digest;
  const before = await digest();
  await add();
  expect(await digest()).not.toBe(before);
  const { value } = await operator(gateway, "doctor");
  const checks = value.checks as { check: string; status: string }[];
  expect(checks.find(({ check }) => check === "gateway catalog")).toMatchObject({ status: "ok" });
  await remove();
  expect(await digest()).toBe(before);
});

test("a provider elsewhere is played until its key is put, and then called for real, without a restart", async () => {
  const far = "far/deepseek-v4-pro";
  const flags = ["--like", like, "--provider", "far", "--url", "https://0.0.0.0:9/v1", "--price", "free"];
  const { value } = await operator(gateway, "model", "add", ...flags);
  expect(value.in_force).toBe(true);
  expect((await call(far)).status).toBe(200);
  const put = ["secret", "put", "FAR_API_KEY", "--local", "--ready-file", gateway.readyFile];
  expect((await runHere(put, {}, "sk-far-0123456789\n")).code).toBe(0);
  // Nobody answers there, and the address is not one of loopback.
  await expect.poll(async () => (await call(far)).status).toBe(500);
  await operator(gateway, "model", "remove", far);
});
