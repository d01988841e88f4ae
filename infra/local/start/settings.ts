/** The settings of `npm start` (design §6). */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { limits } from "#shared/base/limits.ts";
import { nearest } from "#shared/base/platform/nearest.ts";
import { readTelemetry, telemetryVariables } from "#shared/calls/telemetry/settings.ts";
import { ownCatalog } from "../../catalog/default-catalog.ts";

/** The settings by the names of the code. The two tables below say what each does. */
export interface StartSettings {
  port: number;
  readyFile: string | undefined;
  dashboardPort: number | undefined;
  consolePort: number | undefined;
  /** The catalog before it is compiled. Where none is named, it need not be there (`ownCatalog`). */
  catalogFile: string;
  /** Without it the data is in memory. */
  dataDir: string | undefined;
  dynamoDbEndpoint: string | undefined;
  attachTo: string | undefined;
  /** How many real seconds a second of waiting lasts, of all three; 1 as deployed. */
  taskWaitScale: number;
  streamWaitScale: number;
  queueWaitScale: number;
  strict: boolean;
  /** Without it the stack ends with the process. */
  assembly: string | undefined;
  taskLifetimeSeconds: string | undefined;
  /** The variables by which functions tell a collector of telemetry; empty without one. */
  telemetry: Record<string, string>;
  isolated: boolean;
  verbose: boolean;
}

/** Options, with their value and what they do. */
const options: Record<string, [value: string, what: string]> = {
  port: ["N", "the port, 8787 without it; 0 picks a free one"],
  "ready-file": [
    "FILE",
    "writes the address, the demo keys and the organizations there once the gateway is ready",
  ],
  isolated: ["", "runs the gateway's function on a thread of its own, behind a function URL as on AWS"],
  strict: ["", "lets the demo provider refuse what the vendors that it plays refuse"],
  verbose: ["", "prints every line of the log, and not only a short one for each call"],
  help: ["", "shows this text"],
};

/** Settings in the environment. */
const environment: Record<string, [value: string, what: string]> = {
  PORT: ["N", "the same as --port"],
  DASHBOARD_PORT: ["N", "the port of the dashboard; without it the one after the gateway's, or a free one"],
  CONSOLE_PORT: ["N", "the port of the console; without it the second after the gateway's, or a free one"],
  CATALOG: ["PATH", "another catalog of models, prices and plans"],
  DATA_DIR: ["DIR", "keeps tables, queues, demo keys and the log on disk"],
  DYNAMODB_ENDPOINT: ["URL", "uses a DynamoDB that runs already"],
  ATTACH: ["FILE", "starts only another gateway beside the one of this ready file, on its data"],
  TASK_WAIT_SCALE: ["X", "makes a second between two looks at a video task last X seconds, at most 1"],
  STREAM_WAIT_SCALE: ["X", "multiplies the demo provider's pauses in a stream by X, at most 1"],
  QUEUE_WAIT_SCALE: ["X", "makes a second that the queue waits for more events last X seconds, at most 1"],
  TASK_LIFETIME_SECONDS: ["N", "lets a video task without a verdict expire after N seconds"],
  OTEL_EXPORTER_OTLP_ENDPOINT: ["URL", "sends traces and metrics to this collector, by OTLP over HTTP"],
  OTEL_TRACES_SAMPLER_ARG: ["X", "the share of calls that are traced, from 0 to 1; 1 without it"],
  ASSEMBLY: ["DIR", "keeps the built stack there for the next start, without a look at changed code"],
};

/** What `npm start -- --help` prints. */
export function help(): string {
  const rows = (lines: [name: string, what: string][]) =>
    lines.map(([name, what]) => `  ${name.padEnd(26)} ${what}`).join("\n");
  const flags = Object.entries(options).map(([name, [value, what]]): [string, string] => [
    `--${name} ${value}`,
    what,
  ]);
  const variables = Object.entries(environment).map(([name, [value, what]]): [string, string] => [
    `${name}=${value}`,
    what,
  ]);
  return [
    "npm start -- [--port N] [--ready-file FILE] [--isolated] [--strict] [--verbose]",
    "\nStarts the gateway on this machine, with an embedded database and demo organizations. It runs until Ctrl-C.",
    `\nOptions\n${rows(flags)}`,
    `\nSettings in the environment, such as PORT=0 npm start\n${rows(variables)}`,
    "\nA provider whose secret is in the environment, such as OPENAI_API_KEY, is called for real. The demo provider plays",
    "the others. The catalog says the names of the secrets.",
    "\nOnce it runs, .local/snippets.md has all demo keys and addresses, a program for each SDK and the setup of coding",
    "agents. The page at / leads to the reference, and infra/local/README.md tells the rest.",
  ].join("\n");
}

/** Whether the arguments ask for the help. */
export function asksForHelp(argv: string[]): boolean {
  return argv.includes("--help") || argv.includes("-h");
}

/** Reads options and environment; paths are of the working folder. Throws on an unknown option, and names the nearest. */
export function readSettings(argv: string[], env: NodeJS.ProcessEnv): StartSettings {
  const values = readOptions(argv);
  const path = (value: string | undefined) => (value ? resolve(value) : undefined);
  return {
    port:
      values.port === undefined ? readPort("PORT=", env.PORT || "8787") : readPort("--port ", values.port),
    readyFile: path(values["ready-file"]),
    dashboardPort: env.DASHBOARD_PORT ? readPort("DASHBOARD_PORT=", env.DASHBOARD_PORT) : undefined,
    consolePort: env.CONSOLE_PORT ? readPort("CONSOLE_PORT=", env.CONSOLE_PORT) : undefined,
    catalogFile: path(env.CATALOG) ?? ownCatalog,
    dataDir: path(env.DATA_DIR),
    dynamoDbEndpoint: env.DYNAMODB_ENDPOINT || undefined,
    attachTo: path(env.ATTACH),
    taskWaitScale: readScale("TASK_WAIT_SCALE", env),
    streamWaitScale: readScale("STREAM_WAIT_SCALE", env),
    queueWaitScale: readScale("QUEUE_WAIT_SCALE", env),
    assembly: path(env.ASSEMBLY),
    taskLifetimeSeconds: readLifetime(env.TASK_LIFETIME_SECONDS),
    telemetry: telemetryIn(env),
    isolated: values.isolated ?? false,
    strict: values.strict ?? false,
    verbose: values.verbose ?? false,
  };
}

/** The variables of telemetry that are set. Throws where one of them is wrong. */
function telemetryIn(env: NodeJS.ProcessEnv): Record<string, string> {
  if (!env[telemetryVariables.endpoint]) return {};
  readTelemetry(env);
  const given = Object.values(telemetryVariables).map((name): [string, string] => [name, env[name] ?? ""]);
  return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

function readOptions(argv: string[]) {
  for (const word of argv) {
    const name = /^--?([^=]+)/.exec(word)?.[1];
    if (name !== undefined && !Object.hasOwn(options, name)) throw new Error(unknown(word, name));
  }
  const { values, positionals } = parseArgs({
    args: argv,
    options: {
      port: { type: "string" },
      "ready-file": { type: "string" },
      isolated: { type: "boolean" },
      strict: { type: "boolean" },
      verbose: { type: "boolean" },
    },
    allowPositionals: true,
  });
  const [surplus] = positionals;
  if (surplus === undefined) return values;
  const meant = /^\d+$/.test(surplus) ? `; did you mean --port ${surplus}?` : ".";
  throw new Error(`npm start takes no ${surplus}${meant} npm start -- --help shows what it takes.`);
}

/** A setting of the environment that somebody gave as an option. */
function unknown(word: string, name: string): string {
  const variable = name.toUpperCase().replaceAll("-", "_");
  const [setting] = Object.hasOwn(environment, variable)
    ? [variable]
    : nearest(variable, Object.keys(environment));
  const [near] = nearest(name, Object.keys(options));
  const meant = near ? `--${near}` : setting && `${setting}=${environment[setting]?.[0]} npm start`;
  const option = word.replace(/=.*/, "");
  return `there is no option ${option}${meant ? `; did you mean ${meant}?` : "."} npm start -- --help shows them all.`;
}

function readPort(name: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`${name}${text} is not a port, which is a number from 0 to 65535`);
  return port;
}

/** An execution follows a video task for a day, and no longer. */
function readLifetime(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const most = limits.taskLifetimeSeconds;
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= most) return text;
  throw new Error(`TASK_LIFETIME_SECONDS=${text} is not a whole number of seconds from 1 to ${most}`);
}

function readScale(name: string, env: NodeJS.ProcessEnv): number {
  const text = env[name] || "1";
  const scale = Number(text);
  if (!(scale > 0 && scale <= 1)) throw new Error(`${name}=${text} is not above 0 and at most 1`);
  return scale;
}
