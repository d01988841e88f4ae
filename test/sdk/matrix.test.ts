/**
 * Every SDK with models of every vendor, with nothing changed but the base URL. The provider behind each model speaks
 * one protocol only; the gateway crosses where it must. What was seen is compared with `test/sdk/MATRIX.md`, or
 * written there by `npm run pages`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectLocally } from "#infra/operator/connection.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import { expectCleanAudit } from "#test/support/money.ts";
import { spent, startVendors, type Vendors } from "#test/support/vendors.ts";
import type { SdkClient } from "./client.ts";
import { clients } from "./clients.ts";
import { features, surfaces, unavailable } from "./features.ts";
import { type ChatModel, chatModels, matrixCatalog } from "./models.ts";
import { type Providers, startProviders } from "./python-providers.ts";
import { type Cell, countsOf, differences, withPart } from "./table.ts";

const tableFile = join(import.meta.dirname, "MATRIX.md");
const models = Object.keys(chatModels) as ChatModel[];

let vendors: Vendors;
let others: Providers;
let gateway: LocalGateway;

beforeAll(async () => {
  [vendors, others] = await Promise.all([startVendors(), startProviders()]);
  const catalog = matrixCatalog({ chats: vendors.url, embeddings: others.url });
  gateway = await startLocal({ catalog, env: { TEST_API_KEY: "upstream-secret" } });
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([vendors?.stop(), others?.stop()]);
});

const sent = () => JSON.stringify(vendors.requests.at(-1)?.body);
/** Cells in which a check went through, and the calls that were made for them. */
const worked = new Set<string>();
const calls = { chat: 0, embeddings: 0, refused: 0 };

describe.each(Object.entries(clients))("%s", (client, clientAt) => {
  let sdk: SdkClient;
  beforeAll(() => {
    sdk = clientAt({ url: gateway.url, key: gateway.keys.payg });
  });

  describe.each(Object.entries(features))("%s", (feature, { calls: made, check }) => {
    test.for(models)("%s", async (model, { skip }) => {
      skip(unavailable(client, feature, model) !== undefined);
      await check(sdk, { model, sent });
      calls.chat += made;
      calls.refused += made === 0 ? 1 : 0;
      worked.add(`${client}, ${feature}, ${model}`);
    });
  });

  describe.each(Object.entries(surfaces))("%s", (surface, { columns, calls: made, checkOf }) => {
    test.for(columns)("%s", async (column, { skip }) => {
      const check = checkOf(sdk);
      if (!check) return skip();
      await check(column);
      calls.embeddings += made;
      worked.add(`${client}, ${surface}, ${column}`);
    });
  });
});

/** The table's cells in its order. */
function cellsSeen(): Cell[] {
  const columnsOf = {
    ...mapValues(features, () => models),
    ...mapValues(surfaces, ({ columns }) => columns),
  };
  return Object.entries(columnsOf).flatMap(([feature, columns]) =>
    Object.keys(clients).flatMap((client) =>
      columns.map((provider): Cell => {
        const reason = reasonAgainst(client, feature, provider);
        const verdict = worked.has(`${client}, ${feature}, ${provider}`) ? "ok" : "fails: the test says how";
        return { client, feature, provider, verdict: reason ? `n.a.: ${reason}` : verdict };
      }),
    ),
  );
}

function mapValues<Value, Mapped>(record: Record<string, Value>, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

/** Why a cell cannot be, if it cannot. */
function reasonAgainst(client: string, feature: string, column: string): string | undefined {
  const surface = surfaces[feature];
  if (!surface) return unavailable(client, feature, column as ChatModel);
  const sdk = clients[client]?.({ url: "http://127.0.0.1", key: "none" });
  return sdk && surface.checkOf(sdk) ? undefined : "not tried with this client";
}

test("the table is what was seen", () => {
  const cells = cellsSeen();
  console.log(`SDK matrix, JavaScript: ${countsOf(cells)}`);
  const table = readFileSync(tableFile, "utf8");
  if (process.env.PAGES === "write") writeFileSync(tableFile, withPart(table, "JavaScript", cells));
  else expect(differences("JavaScript", table, cells)).toEqual([]);
});

test("every call is charged by the same four numbers, whatever was crossed", async () => {
  await expectCleanAudit(gateway);
  const { aws, tables } = connectLocally(gateway.readyFile);
  const entries = (await Array.fromAsync(createLedger(aws, tables).everyEntry())).filter(
    ({ kind }) => kind === "usage",
  );
  const answered = entries.filter(({ event }) => event?.calls !== 0);
  const free = entries.filter(({ event }) => event?.calls === 0);
  const chats = answered.filter(({ event }) => event?.kind === "chat");
  expect(answered.length - chats.length).toBe(calls.embeddings);
  expect(chats).toHaveLength(calls.chat);
  for (const { event } of chats)
    expect(event).toMatchObject({ evidence: "reported", usage: spent, flags: [] });
  expect(free).toHaveLength(calls.refused);
  for (const { points } of free) expect(points).toBe("0");
});
