/**
 * Every SDK with models of every vendor, with nothing changed but the base URL. The provider behind each model speaks
 * one protocol only; the gateway crosses where it must. What was seen is compared with `test/sdk/MATRIX.md`, or
 * written there by `npm run matrix:write`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLocally } from "#infra/connection.ts";
import { createLedger } from "#shared/store/ledger.ts";
import type { SdkClient } from "./sdk/client.ts";
import { clients } from "./sdk/clients.ts";
import { features, unavailable } from "./sdk/features.ts";
import { type ChatModel, chatModels, matrixCatalog } from "./sdk/models.ts";
import { type Cell, countsOf, differences, withPart } from "./sdk/table.ts";
import { type LocalGateway, startLocal } from "./support/local.ts";
import { expectCleanAudit } from "./support/money.ts";
import { spent, startVendors, type Vendors } from "./support/vendors.ts";

const tableFile = join(import.meta.dirname, "sdk/MATRIX.md");
const models = Object.keys(chatModels) as ChatModel[];

let vendors: Vendors;
let gateway: LocalGateway;

beforeAll(async () => {
  vendors = await startVendors();
  const catalog = matrixCatalog(vendors.url);
  gateway = await startLocal({ catalog, env: { TEST_API_KEY: "upstream-secret" } });
});
afterAll(async () => {
  await gateway?.stop();
  await vendors?.stop();
});

const sent = () => JSON.stringify(vendors.requests.at(-1)?.body);
/** Cells in which a check went through, and the calls that were made for them. */
const worked = new Set<string>();
let calls = 0;
let refused = 0;

describe.each(Object.entries(clients))("%s", (client, clientAt) => {
  let sdk: SdkClient;
  beforeAll(() => {
    sdk = clientAt({ url: gateway.url, key: gateway.keys.payg });
  });

  describe.each(Object.entries(features))("%s", (feature, { calls: made, check }) => {
    test.for(models)("%s", async (model, { skip }) => {
      skip(unavailable(client, feature, model) !== undefined);
      await check(sdk, { model, sent });
      calls += made;
      refused += made === 0 ? 1 : 0;
      worked.add(`${client}, ${feature}, ${model}`);
    });
  });
});

/** The table's cells in its order. */
function cellsSeen(): Cell[] {
  return Object.keys(features).flatMap((feature) =>
    Object.keys(clients).flatMap((client) =>
      models.map((provider): Cell => {
        const reason = unavailable(client, feature, provider);
        const verdict = worked.has(`${client}, ${feature}, ${provider}`) ? "ok" : "fails: the test says how";
        return { client, feature, provider, verdict: reason ? `n.a.: ${reason}` : verdict };
      }),
    ),
  );
}

test("the table is what was seen", () => {
  const cells = cellsSeen();
  console.log(`SDK matrix, JavaScript: ${countsOf(cells)}`);
  const table = readFileSync(tableFile, "utf8");
  if (process.env["MATRIX"] === "write") writeFileSync(tableFile, withPart(table, "JavaScript", cells));
  else expect(differences("JavaScript", table, cells)).toEqual([]);
});

test("every call is charged by the same four numbers, whatever was crossed", async () => {
  await expectCleanAudit(gateway);
  const { aws, tables } = connectLocally(gateway.readyFile);
  const entries = (await Array.fromAsync(createLedger(aws, tables).everyEntry())).filter(
    ({ kind }) => kind === "usage",
  );
  const answered = entries.filter(({ event }) => event?.calls !== 0);
  const others = entries.filter(({ event }) => event?.calls === 0);
  expect(answered).toHaveLength(calls);
  for (const { event } of answered)
    expect(event).toMatchObject({ evidence: "reported", usage: spent, flags: [] });
  expect(others).toHaveLength(refused);
  for (const { points } of others) expect(points).toBe("0");
});
