/**
 * Measures how large the bundles of the functions are, and how long a fresh process takes to load them. Two controls
 * are bundled the same way: the gateway's lean transport to AWS alone, and AWS's own client of DynamoDB alone.
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

const rounds = 7;

const controls = {
  "lean transport": `
    import { awsOptionsFromEnv, createAws } from "#shared/platform/aws.ts";
    export const aws = createAws(awsOptionsFromEnv());
  `,
  "client-dynamodb": `
    import { createClients } from "#shared/platform/aws-clients.ts";
    import { dynamoDb } from "#shared/platform/clients/dynamodb.ts";
    export const aws = createClients({ dynamodb: dynamoDb });
    await dynamoDb({});
  `,
};

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
    const alone = Object.entries(controls).map(([name, code]) => buildControl(folder, name, code));
    const bundles = [...(await Promise.all(alone)), ...bundlesOf(assembly)];
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

async function buildControl(folder: string, name: string, contents: string): Promise<Bundle> {
  const file = join(folder, `${name.replace(" ", "-")}.mjs`);
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    outfile: file,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    external: ["undici"],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  return { name: `${name}, alone`, file, environment: {} };
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
