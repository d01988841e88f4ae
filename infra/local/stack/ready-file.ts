/** What a running gateway tells others about itself: tests, the operator, and a second gateway beside it. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { outputs, placesOf, type StackPlaces } from "../../stage/outputs.ts";
import { region } from "./template.ts";

export const demoNames = ["payg", "subscription", "free", "manager"] as const;
export type DemoName = (typeof demoNames)[number];

/** The demo organizations' ids and one key of each, and the token of a demo operator (shared/edges/admin/README.md). */
export interface Demo {
  keys: Record<DemoName, string>;
  organizations: Record<DemoName, string>;
  operator_token: string;
}

/** Where the parts of the running stack are. */
export interface Endpoints extends StackPlaces {
  dynamodb: string;
  sqs: string;
  secrets: string;
  kms: string;
  /** Step Functions. */
  states: string;
  /** EventBridge, and the page with the events that it took. */
  events: string;
  region: string;
  demoProvider: string;
  /** The page with the charts of the template's dashboard. */
  dashboard: string;
  /** Where people sign in. */
  console: string;
  /** The page with the verification codes. */
  inbox: string;
  /** The sandbox where orders are paid. */
  paymentPlatform: string;
  /** What plays an organization's identity provider, and the DNS of its domains. */
  identityProvider: string;
  /** The folder of the synthesized template and its bundles. */
  assembly: string;
  /** The file of the functions' log. */
  log: string;
  /** The catalog that it follows, where own models are written. A folder may not be there yet. */
  catalog: string;
}

export interface ReadyFile extends Demo {
  url: string;
  /** Where people sign in; absent where a gateway is attached to another one. */
  console_url?: string;
  /** The process that serves it. */
  pid: number;
  endpoints: Endpoints;
}

/** The endpoints by the stack's own outputs. */
export function endpointsOf(
  servers: Omit<Endpoints, keyof StackPlaces | "region">,
  values: Record<string, string>,
): Endpoints {
  const output = (name: keyof typeof outputs): string => {
    const value = values[outputs[name]];
    if (value === undefined) throw new Error(`template: there is no output ${outputs[name]}`);
    return value;
  };
  return { ...servers, region, ...placesOf(output) };
}

/** Writes JSON that only its owner can read. A reader finds all of it or no file. */
export function writePrivately(file: string, content: object): void {
  writeTextPrivately(file, `${JSON.stringify(content, null, 2)}\n`);
}

/** Does the same with a text. */
export function writeTextPrivately(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}

export function readReadyFile(file: string): ReadyFile {
  return JSON.parse(readFileSync(file, "utf8")) as ReadyFile;
}

/** Removes the file if it is still this gateway's. */
export function removeReadyFile(file: string, url: string): void {
  try {
    if (readReadyFile(file).url === url) rmSync(file);
  } catch {
    // Somebody else removed it.
  }
}
