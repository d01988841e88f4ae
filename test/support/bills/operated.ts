/** The commands on bills on stand-ins of AWS: a catalog with costs, and calls of three days in the ledger. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { newId } from "#shared/base/platform/id.ts";
import { dayMs } from "#shared/books/billing/period.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import type { UsageEvent } from "#shared/books/ledger/usage-event.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { tables } from "#test/support/dynamodb.ts";
import { endedCall } from "#test/support/forecasts.ts";
import { testCatalog } from "#test/support/memory.ts";
import { useOperatedSecrets } from "#test/support/operated-secrets.ts";
import { signedUp } from "#test/support/orders.ts";
import { tokens } from "#test/support/prices.ts";
import { noon } from "#test/support/store.ts";

type File = { models: { id: string; channels: { model: string }[] }[] };
const file = testCatalog("https://acme.test") as File;
/** What a million tokens cost the house. */
const cost = { input: "2", output: "10" };
const priced = {
  ...file,
  models: file.models.map((model) => ({
    ...model,
    channels: model.channels.map((channel) => ({ ...channel, cost })),
  })),
};
const catalog = createCatalog(parseCatalog(priced));
const model = catalog.find("test/model-1");
if (!model) throw new Error("no model");
const called = model;
const [{ model: theirs } = { model: "" }] = model.channels;

/** Registers the stand-ins for the tests of a file. `theirs` is the vendor's name of the model that was called. */
export function useOperatedBills() {
  const operated = useOperatedSecrets();
  const folder = mkdtempSync(join(tmpdir(), "bills-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const written = (name: string, content: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  beforeAll(() => fill(operated.aws));
  return { operated, folder, written, theirs, place: `--catalog ${written("catalog.json", priced)}` };
}

/** Two calls on the 21st, one of which broke off at another attempt first, and one on each of the next days. */
async function fill(aws: Aws): Promise<void> {
  const organization = await signedUp({ aws, tables }, noon);
  const call = (at: number, more: Partial<UsageEvent> = {}): UsageEvent => {
    const id = newId("request", at);
    const identity = {
      id,
      organization: organization.id,
      meter: organization.wallet?.meter ?? "",
      model: called.id,
    };
    const end = { provider: "test", at: at + 500 };
    return { ...endedCall(catalog.price(called, at), tokens(1_000_000), identity, end), ...more };
  };
  const attempt = { provider: "test", ms: 9 };
  const route = {
    ...{ routing: "smart" as const, why: "first", of: 2 },
    attempts: [
      { ...attempt, outcome: "lost" as const },
      { ...attempt, outcome: "answered" as const },
    ],
  };
  await createLedger(aws, tables).record([
    call(noon),
    call(noon + 1000, { route }),
    call(noon + dayMs),
    call(noon + 2 * dayMs),
  ]);
}
