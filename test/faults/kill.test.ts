/** kill −9 of the running gateway, and what is left of the calls it was serving. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { killOrders } from "#test/kill/orders/rounds.ts";
import { endedMin, killRounds } from "#test/kill/rounds.ts";
import { balanceOf, startLocal, unhurriedQueue } from "#test/support/local.ts";
import { catalogAt, completion, expectCleanAudit, post, providerKey } from "#test/support/money.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());

test("after kill −9 nothing is lost: what was answered is billed, what was under way is closed, the audit is clean", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "kill-"));
  chmodSync(dataDir, 0o755);
  const options = { catalog: catalogAt(upstream.url), dataDir, env: { ...providerKey, ...unhurriedQueue } };
  const gateway = await startLocal(options);
  const key = gateway.keys.payg;
  const before = parsePoints(await balanceOf(gateway, key));
  const callOnce = async () => {
    const reply = await post(gateway.url, key);
    await reply.text();
    return reply.status;
  };
  upstream.json(completion);
  expect(await Promise.all([callOnce(), callOnce(), callOnce()])).toEqual([200, 200, 200]);
  let asked = 0;
  const allAsked = Promise.withResolvers<void>();
  upstream.on((_, response) => {
    asked += 1;
    if (asked === 6) allAsked.resolve();
    // Every other call never ends: it is under way when the process dies.
    if (asked % 2 === 1)
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion));
  });
  const rushed = Promise.allSettled(Array.from({ length: 6 }, callOnce));
  await allAsked.promise;
  await gateway.stop("SIGKILL");
  const answered =
    3 + (await rushed).filter((call) => call.status === "fulfilled" && call.value === 200).length;

  const again = await startLocal(options);
  try {
    // Prompts and answers are in there: it is for this user alone, what the emulators write included.
    const kept = readdirSync(dataDir, { withFileTypes: true, recursive: true });
    const open = [dataDir, ...kept.map((entry) => join(entry.parentPath, entry.name))].filter(
      (path) => (statSync(path).mode & 0o077) !== 0,
    );
    expect([open, kept.length > 3]).toEqual([[], true]);
    expect(again.keys.payg).toBe(key);
    await expectCleanAudit(again);
    const { aws, tables } = connectLocally(again.readyFile);
    const ledger = createLedger(aws, tables);
    const entries = (await Array.fromAsync(ledger.everyEntry())).filter(({ kind }) => kind === "usage");
    // What the schedules missed while nothing ran is made up for: holds are closed, and days sealed.
    expect((await ledger.seal(again.organizations.payg, "")).day).toMatch(/^20/);
    // What a client saw whole is billed as reported; every call has one entry, and the sum is what was spent.
    expect(entries.filter(({ event }) => event?.evidence === "reported").length).toBeGreaterThanOrEqual(
      answered,
    );
    expect(new Set(entries.map(({ id }) => id)).size).toBe(9);
    expect(entries).toHaveLength(9);
    const spent = entries.reduce((sum, { points }) => sum + parsePoints(points), 0n);
    expect(before - parsePoints(await balanceOf(again, key))).toBe(spent);
  } finally {
    await again.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

// `npm run kill-test` kills more often.
test("killed at random instants, also while it starts, on the same data: nothing is lost, nothing is billed twice", async () => {
  const { violations, ...figures } = await killRounds({ runs: 2, seed: 7 });
  expect(violations).toEqual([]);
  expect(figures.counted).toBe(2);
  expect(figures.ended).toBeGreaterThanOrEqual(2 * endedMin);
  expect(figures.cut).toBeGreaterThan(0);
});

test("killed with orders in hand: what is paid is booked once, and nothing else is", async () => {
  const { violations, ...figures } = await killOrders({ runs: 6, seed: 11 });
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ kills: 6, lost: 0, doubled: 0, unpaid: 0 });
  expect(figures.paid).toBeGreaterThan(5);
});
