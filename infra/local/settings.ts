/** How `npm start` is told what to do (design §6). */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

export interface Settings {
  /** 0 picks a free one. */
  port: number;
  readyFile: string | undefined;
  /** The catalog before it is compiled. */
  catalogFile: string;
  /** Where data outlives the process; in memory without it. */
  dataDir: string | undefined;
  /** A DynamoDB that runs already. */
  dynamoDbEndpoint: string | undefined;
  /** The ready file of a gateway beside which another one is started. */
  attachTo: string | undefined;
  /** How many real seconds a second between two looks at a video task lasts; 1 as deployed. */
  taskWaitScale: number;
  /** What the demo provider's pauses within a stream are multiplied by. */
  streamWaitScale: number;
  /** Where what is synthesized is kept for starts to come; in a folder that goes with the process without it. */
  assembly: string | undefined;
  /** Seconds until a video task without a verdict expires; as deployed if undefined. */
  taskLifetimeSeconds: string | undefined;
}

const defaultCatalog = join(import.meta.dirname, "../../shared/catalog/catalog.json");

/** Reads flags and environment; paths are relative to the working folder. Throws on what it does not know. */
export function readSettings(argv: string[], env: NodeJS.ProcessEnv): Settings {
  const { values } = parseArgs({ args: argv, options: { "ready-file": { type: "string" } } });
  const path = (value: string | undefined) => (value ? resolve(value) : undefined);
  return {
    port: readPort(env["PORT"] || "8787"),
    readyFile: path(values["ready-file"]),
    catalogFile: path(env["CATALOG"]) ?? defaultCatalog,
    dataDir: path(env["DATA_DIR"]),
    dynamoDbEndpoint: env["DYNAMODB_ENDPOINT"] || undefined,
    attachTo: path(env["ATTACH"]),
    taskWaitScale: readScale("TASK_WAIT_SCALE", env),
    streamWaitScale: readScale("STREAM_WAIT_SCALE", env),
    assembly: path(env["ASSEMBLY"]),
    taskLifetimeSeconds: env["TASK_LIFETIME_SECONDS"] || undefined,
  };
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`PORT=${text} is no port`);
  return port;
}

function readScale(name: string, env: NodeJS.ProcessEnv): number {
  const text = env[name] || "1";
  const scale = Number(text);
  if (!(scale > 0 && scale <= 1)) throw new Error(`${name}=${text} is not above 0 and at most 1`);
  return scale;
}
