/**
 * Measures how large the bundles of the functions are, and how long a fresh process takes to load them. Two controls
 * are bundled the same way: the gateway's lean transport to AWS alone, and AWS's own client of DynamoDB alone.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleName } from "#infra/bundles/bundle-files.ts";
import { bundleFunction } from "#infra/bundles/bundles.ts";
import { commonName } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { readResources } from "#infra/local/stack/resources.ts";
import { templateIn } from "#infra/local/stack/synthesis.ts";
import { readTemplate } from "#infra/local/stack/template.ts";
import { loadedFiles } from "#test/support/loaded-files.ts";

export interface BundleFigures {
  name: string;
  /** The code that is loaded at the start. */
  kilobytes: number;
  /** Milliseconds until the module is loaded, median of the rounds. */
  startMs: number;
  /** Milliseconds until its first connection to AWS is begun, by which all code for that is loaded. NaN without one. */
  connectMs: number;
}

const rounds = 7;

const controls = ["lean-transport", "client-dynamodb"];

/** The module alone: Node's own start is no part of it, and what a function reads at its start is not waited for. */
const timer = `
  import { subscribe } from "node:diagnostics_channel";
  globalThis.awslambda = { streamifyResponse: (handler) => handler };
  const times = {};
  const startedAt = performance.now();
  const reach = (name) => {
    times[name] ??= performance.now() - startedAt;
    if (times.startMs && times.connectMs) process.exit();
  };
  process.on("exit", () => console.log(JSON.stringify(times)));
  subscribe("net.client.socket", () => reach("connectMs"));
  await import(process.argv[1]);
  reach("startMs");
`;

interface Bundle {
  name: string;
  file: string;
  environment: Record<string, string>;
}

/** Measures the bundles of a synthesized stack, all in turn, so that a busy machine is busy for each. */
export function measureBundles(assembly: string): BundleFigures[] {
  const folder = mkdtempSync(join(tmpdir(), "bundles-"));
  try {
    const bundles = [...controls.map((name) => buildControl(folder, name)), ...bundlesOf(assembly)];
    const times = bundles.map((): Start[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [i, bundle] of bundles.entries()) times[i]?.push(startOnce(bundle));
    }
    return bundles.map(({ name, file, environment }, i) => ({
      name,
      kilobytes: codeLoaded(file, environment) / 1024,
      startMs: medianOf(times[i] ?? [], "startMs"),
      connectMs: medianOf(times[i] ?? [], "connectMs"),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function buildControl(folder: string, name: string): Bundle {
  const outdir = join(folder, name);
  mkdirSync(outdir);
  const catalogFile = join(defaultCatalog, commonName);
  bundleFunction(`test/bench/controls/${name}.ts`, catalogFile, outdir);
  return {
    name: `${name}, alone`,
    file: join(outdir, bundleName),
    environment: { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x" },
  };
}

/** Bytes of the code that is loaded at the start. */
function codeLoaded(file: string, environment: Record<string, string>): number {
  const files = loadedFiles(file, environment).filter((each) => each.endsWith(".cjs"));
  return files.reduce((total, each) => total + statSync(each).size, 0);
}

function bundlesOf(assembly: string): Bundle[] {
  const { functions } = readResources(readTemplate(templateIn(assembly)), assembly);
  return functions.map(({ name, directory, environment }) => ({
    // Without the hash that CloudFormation's name ends in.
    name: name.replace(/[0-9A-F]{8}$/, ""),
    file: join(directory, bundleName),
    environment,
  }));
}

type Start = Partial<Pick<BundleFigures, "startMs" | "connectMs">>;

function medianOf(starts: Start[], name: keyof Start): number {
  const sorted = starts.flatMap((start) => start[name] ?? []).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function startOnce({ file, environment }: Bundle): Start {
  // Nothing listens there: what a function asks for at once is never answered.
  const env = { ...environment, AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
  const words = ["--input-type=module", "-e", timer, file];
  const told = execFileSync(process.execPath, words, { env, stdio: ["ignore", "pipe", "ignore"] });
  return JSON.parse(told.toString()) as Start;
}
