/**
 * Measures how large the bundles of the functions are, and how long a fresh process takes to load them. The
 * control is one client of the AWS SDK with its chain of credentials, bundled the same way.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { readResources } from "#infra/local/resources.ts";
import { templateIn } from "#infra/local/synthesis.ts";
import { readTemplate } from "#infra/local/template.ts";

export interface BundleFigures {
  name: string;
  kilobytes: number;
  /** Median of the rounds. */
  startMs: number;
}

const rounds = 9;

const control = `
  import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
  import { defaultProvider } from "@aws-sdk/credential-provider-node";
  export const client = new CloudFormationClient({ region: "us-east-1", credentials: defaultProvider() });
`;

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
export async function measureBundles(assembly: string): Promise<BundleFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "bundles-"));
  try {
    const bundles = [await buildControl(folder), ...bundlesOf(assembly)];
    const times = bundles.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [i, bundle] of bundles.entries()) times[i]?.push(startOnce(bundle));
    }
    return bundles.map(({ name, file }, i) => ({
      name,
      kilobytes: statSync(file).size / 1024,
      startMs: times[i]?.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN,
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function buildControl(folder: string): Promise<Bundle> {
  const file = join(folder, "control.mjs");
  await build({
    stdin: { contents: control, resolveDir: import.meta.dirname },
    outfile: file,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  return { name: "control", file, environment: {} };
}

function bundlesOf(assembly: string): Bundle[] {
  const { functions } = readResources(readTemplate(templateIn(assembly)), assembly);
  return functions.map(({ name, directory, handler, environment }) => ({
    // Without the hash that CloudFormation's name ends in.
    name: name.replace(/[0-9A-F]{8}$/, ""),
    file: join(directory, `${handler.split(".")[0]}.mjs`),
    environment,
  }));
}

function startOnce({ file, environment }: Bundle): number {
  // Nothing listens there: what a function asks for at once is never answered.
  const env = { ...environment, AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
  const words = ["--input-type=module", "-e", timer, file];
  return Number(execFileSync(process.execPath, words, { env, stdio: ["ignore", "pipe", "ignore"] }));
}
