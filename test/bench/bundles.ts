/**
 * Measures how large the bundles of the functions are, and how long a fresh process takes to load them. Two controls
 * are bundled the same way: the gateway's lean transport to AWS alone, and AWS's own client of DynamoDB alone.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleFunction, bundleName } from "#infra/bundles.ts";
import { readResources } from "#infra/local/resources.ts";
import { templateIn } from "#infra/local/synthesis.ts";
import { readTemplate } from "#infra/local/template.ts";
import { loadedFiles } from "#test/support/loaded-files.ts";

export interface BundleFigures {
  name: string;
  /** The code that is loaded at the start. */
  kilobytes: number;
  /** Median of the rounds. */
  startMs: number;
}

const rounds = 7;

const controls = ["lean-transport", "client-dynamodb"];

/** The module alone: Node's own start is no part of it, and what a function reads at its start is not waited for. */
const timer = `
  globalThis.awslambda = { streamifyResponse: (handler) => handler };
  const startedAt = performance.now();
  await import(process.argv[1]);
  console.log(performance.now() - startedAt);
  process.exit();
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
    const times = bundles.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [i, bundle] of bundles.entries()) times[i]?.push(startOnce(bundle));
    }
    return bundles.map(({ name, file, environment }, i) => ({
      name,
      kilobytes: codeLoaded(file, environment) / 1024,
      startMs: times[i]?.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN,
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function buildControl(folder: string, name: string): Bundle {
  const outdir = join(folder, name);
  mkdirSync(outdir);
  const catalogFile = join(import.meta.dirname, "../../shared/catalog/catalog.json");
  bundleFunction(`test/bench/controls/${name}.ts`, catalogFile, outdir);
  return { name: `${name}, alone`, file: join(outdir, bundleName), environment: {} };
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

function startOnce({ file, environment }: Bundle): number {
  // Nothing listens there: what a function asks for at once is never answered.
  const env = { ...environment, AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
  const words = ["--input-type=module", "-e", timer, file];
  return Number(execFileSync(process.execPath, words, { env, stdio: ["ignore", "pipe", "ignore"] }));
}
