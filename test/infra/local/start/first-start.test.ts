/** A start that no earlier one has kept a stack for: it answers before all bundles are there, and leaves them to the next. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { stackFolder } from "#infra/local/stack/stack-cache.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";

const root = join(import.meta.dirname, "../../../..");

/** A lifetime that no other test has, so that its stack is nobody's. */
const TASK_LIFETIME_SECONDS = String(40_000 + (process.pid % 10_000));
const keptIn = stackFolder(root, TASK_LIFETIME_SECONDS);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(keptIn, { recursive: true, force: true });
});

async function started(env: Record<string, string> = {}): Promise<LocalGateway> {
  const gateway = await startLocal({ env: { TASK_LIFETIME_SECONDS, ...env } });
  cleanups.push(() => gateway.stop());
  return gateway;
}

/** The bundles that are there, without that of the gateway on one thread. */
const bundlesOf = ({ endpoints: { assembly } }: LocalGateway) =>
  readdirSync(assembly)
    .filter((name) => name.startsWith("asset.") && existsSync(join(assembly, name, "index.cjs")))
    .map((name) => name.slice("asset.".length))
    .filter((name) => name !== "one-thread")
    .sort();
const all = ["console", "gateway", "learner", "settle", "sweep", "video-task"];

test("it answers at once, books the call, opens the console, and is kept for the next start", async () => {
  const gateway = await started();
  expect(bundlesOf(gateway)).not.toEqual(all);
  const headers = { authorization: `Bearer ${gateway.keys.payg}`, "content-type": "application/json" };
  const body = JSON.stringify({
    ...{ model: "openai/gpt-5.4", max_tokens: 20, messages: [{ role: "user", content: "ping" }] },
  });
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
  expect(answer.status).toBe(200);
  const page = await fetch(`${gateway.console_url}/`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<!doctype html>")]);
  const booked = async () => {
    const calls = await fetch(`${gateway.url}/api/v1/calls`, { headers });
    return ((await calls.json()) as { data: unknown[] }).data.length;
  };
  await expect.poll(booked, { timeout: 60_000 }).toBe(1);
  await expect.poll(() => existsSync(join(keptIn, "kept.json")), { timeout: 60_000 }).toBe(true);
  expect(await gateway.stop()).toBe(0);
  expect(gateway.output()).not.toMatch(/cannot be/);

  const next = await started();
  expect(bundlesOf(next)).toEqual(all);
  expect(readdirSync(next.endpoints.assembly)).not.toContain("tmp");
});

test("one that ends while bundles are made leaves nothing behind, and nothing is kept", async () => {
  const folder = mkdtempSync(join(tmpdir(), "first-start-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const gateway = await started({ TMPDIR: folder });
  expect(readdirSync(folder)).toHaveLength(1);
  expect(await gateway.stop()).toBe(0);
  expect(gateway.output()).not.toMatch(/cannot be/);
  expect(readdirSync(folder)).toEqual([]);
  expect(existsSync(keptIn)).toBe(false);
});
