/** The checks of the gateway that `npm start` runs. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { AwsError } from "#shared/base/platform/aws.ts";
import { readKeys, readSecret } from "#shared/base/platform/secrets.ts";
import { keyNames } from "#shared/books/catalog/provider.ts";
import type { CloudDoors } from "#shared/edges/operator/ask-clouds.ts";
import { tableSchemas } from "#shared/edges/store/dynamodb/table-schema.ts";
import { createChannelRecords } from "#shared/edges/store/taken-out.ts";
import { queueDepth } from "#shared/edges/store/usage-queue.ts";
import { logFiles } from "../../local/stack/log-file.ts";
import type { ReadyFile } from "../../local/stack/ready-file.ts";
import { keysSet } from "../../local/start/local-catalog.ts";
import type { StackConnection } from "../connection.ts";
import { fileLog } from "../logs.ts";
import type { CatalogHere } from "./catalog-here.ts";
import { channelsCheck } from "./channels.ts";
import { type Check, type CheckFinding, counted, fail, ok, unknown, warn } from "./check.ts";
import { cloudChecks } from "./clouds.ts";
import { consoleCheck } from "./console.ts";
import { agentsCheck, type Fetch, gatewayChecks, pricesCheck } from "./gateway.ts";
import { judgePass, passes } from "./jobs.ts";
import { demoKey } from "./secrets.ts";

/** A gateway of `npm start`, by its ready file. */
interface LocalPlace {
  ready: Pick<ReadyFile, "url" | "endpoints">;
  /** When the ready file was written, Unix milliseconds. */
  since: number;
  connection: StackConnection;
  fetch: Fetch;
  now: () => number;
  version: string;
  catalog: CatalogHere;
  /** How clouds are asked. */
  doors: CloudDoors;
}

/** Reads the ready file; undefined where no gateway has written one. */
export function readReady(file: string): Pick<LocalPlace, "ready" | "since"> | undefined {
  if (!existsSync(file)) return undefined;
  return { ready: JSON.parse(readFileSync(file, "utf8")) as ReadyFile, since: statSync(file).mtimeMs };
}

/** Where no gateway runs, nothing of it can be looked at. */
export function noGateway(readyFile: string): Check {
  return {
    name: "gateway",
    run: () => fail(`no gateway of npm start runs (${readyFile} is not there)`, "start one: npm start"),
  };
}

export async function localChecks(place: LocalPlace): Promise<Check[]> {
  const { ready, connection } = place;
  return [
    ...gatewayChecks("gateway", ready.url, place),
    agentsCheck(place),
    pricesCheck(place),
    consoleCheck("console", ready.endpoints.console, place.fetch),
    { name: "tables", run: async () => await tables(place) },
    { name: "usage queue", run: async () => await queue(place) },
    { name: "provider keys", run: async () => await keys(place) },
    channelsCheck(createChannelRecords(connection.aws, connection.tables).all, place.now),
    ...(await cloudsOf(place)),
    ...passes.map((pass) => ({
      name: pass.name,
      run: async () =>
        judgePass(pass, await lastLine(ready.endpoints.log, pass.line), place.since, place.now()),
    })),
  ];
}

/** What a stage must be warned of is what `npm start` is for: the demo provider plays vendors without a key. */
async function keys({ connection, ready, catalog }: LocalPlace): Promise<CheckFinding> {
  const found = readKeys(await readSecret(connection.aws, ready.endpoints.providersSecretArn)) ?? new Map();
  if ("problem" in catalog) return unknown(catalog.problem, "start the gateway again");
  const providers = Object.values(catalog.providers);
  const isReal = (name: string) => found.has(name) && found.get(name) !== demoKey;
  const real = providers.filter((provider) => keyNames(provider).some(isReal));
  const played = providers.length - real.length;
  const seen = `${real.length} of ${counted(providers.length, "provider")} have a key of their own`;
  return ok(played === 0 ? seen : `${seen}; the demo provider plays the others`);
}

/** The checks of the clouds that are called for real. Where the secret cannot be read, the check of the keys says why. */
async function cloudsOf({ connection, ready, catalog, doors }: LocalPlace): Promise<Check[]> {
  if ("problem" in catalog) return [];
  const text = await readSecret(connection.aws, ready.endpoints.providersSecretArn).catch(() => "{}");
  const keys = new Map(Object.entries(keysSet(text)));
  return cloudChecks({ providers: catalog.clouds, keys, ...doors });
}

/** Reads an item that no table has: a table that is not there refuses even that. */
async function tables({ connection: { aws, tables: names } }: LocalPlace): Promise<CheckFinding> {
  const missing: string[] = [];
  await Promise.all(
    (Object.keys(names) as (keyof typeof names)[]).map(async (name) => {
      const { partition, sort } = tableSchemas[name];
      const nobody = { S: "doctor" };
      const Key = { [partition]: nobody, ...(sort !== null && { [sort]: nobody }) };
      await aws("dynamodb", "GetItem", { TableName: names[name], Key }).catch((error: unknown) => {
        if (!(error instanceof AwsError && error.code === "ResourceNotFoundException")) throw error;
        missing.push(name);
      });
    }),
  );
  if (missing.length > 0) return fail(`${missing.join(", ")} are not there`, "start the gateway again");
  return ok(`${counted(Object.keys(names).length, "table")} of the embedded DynamoDB are there`);
}

async function queue({
  connection: { aws, usageQueueUrl, deadLetterQueueUrl },
}: LocalPlace): Promise<CheckFinding> {
  const [waiting, dead] = await Promise.all([
    queueDepth(aws, usageQueueUrl),
    queueDepth(aws, deadLetterQueueUrl),
  ]);
  if (dead > 0)
    return fail(
      `${counted(dead, "dead letter")}: usage that is not booked`,
      "remove the cause, then operator redrive",
    );
  return waiting > 100
    ? warn(`${counted(waiting, "message")} wait`, "wait: calls come faster than they are settled")
    : ok(`${counted(waiting, "message")}, no dead letters`);
}

/** When the last line of an event was written. */
async function lastLine(file: string, event: string): Promise<number | undefined> {
  const lines = await fileLog(logFiles(file)).linesNamed(event, 0);
  return lines.length === 0 ? undefined : Math.max(...lines.map(({ at }) => Date.parse(at)));
}
