/**
 * Which part of the gateway takes how much of a call's CPU, by elimination. The pipeline runs in a process of its own,
 * each time with fewer real parts. A part's share is what its stand-in saves.
 */
import { fork } from "node:child_process";
import { on } from "node:events";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, parse } from "node:path";
import { build } from "esbuild";
import { bundledCatalogName } from "#infra/bundles/bundle-files.ts";
import { environmentOf } from "#infra/local/stack/function-environment.ts";
import { readReadyFile } from "#infra/local/stack/ready-file.ts";
import { readResources } from "#infra/local/stack/resources.ts";
import { templateIn } from "#infra/local/stack/synthesis.ts";
import { readTemplate } from "#infra/local/stack/template.ts";
import type { LocalGateway } from "#test/support/local.ts";
import type { EliminatedName } from "./pipeline-names.ts";
import type { FromPipelines, PipelineRound } from "./pipelines.ts";

export interface Pipelines {
  /** Of their process. */
  pid: number;
  /** Microseconds of CPU a call. */
  play(round: PipelineRound): Promise<number>;
}

/**
 * Bundles the pipelines, and starts them beside `base`, on its stand-ins but with another queue. The disposal of
 * `parts` ends them.
 */
export async function startPipelines(
  base: LocalGateway,
  sqs: string,
  parts: AsyncDisposableStack,
): Promise<Pipelines> {
  const { endpoints } = readReadyFile(base.readyFile);
  const { functions } = readResources(readTemplate(templateIn(endpoints.assembly)), endpoints.assembly);
  const front = functions.find(({ hasUrl }) => hasUrl);
  if (!front) throw new Error("template: there is no function URL");
  const folder = mkdtempSync(join(tmpdir(), "pipelines-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "pipelines.mjs");
  // On its first start the local gateway has its catalog beside the bundles and not in them yet.
  const [catalog] = globSync(join(endpoints.assembly, "**", `${parse(bundledCatalogName).name}*.json`));
  if (!catalog) throw new Error("the assembly has no catalog");
  await bundle(file, catalog);
  const child = fork(file, {
    env: environmentOf(front.environment, { ...endpoints, sqs }),
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  parts.defer(() => void child.kill());
  const inbox = on(child, "message", { close: ["exit"] });
  const hear = async (): Promise<FromPipelines> => {
    const { done, value } = await inbox.next();
    if (done) throw new Error("the pipelines have ended");
    return value[0] as FromPipelines;
  };
  await hear();
  return {
    pid: child.pid ?? 0,
    async play(round) {
      child.send(round);
      const played = await hear();
      return played.kind === "played" ? played.cpuMicroseconds : Number.NaN;
    },
  };
}

/** As the functions are bundled (infra/resources/gateway-function.ts). */
async function bundle(outfile: string, catalogFile: string): Promise<void> {
  await build({
    entryPoints: [new URL("pipelines.ts", import.meta.url).pathname],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    alias: { "#catalog": catalogFile },
    external: ["undici"],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    logLevel: "warning",
  });
}

/** A part's share of a call, by the name of the part: what was measured with it, less what was measured without it. */
export function sharesOf(gateway: number, of: Record<EliminatedName, number>): Record<string, number> {
  return {
    "front: URL, threads, invocation": gateway - of.composed,
    "AWS: hold, intent, event, settlement": of.composed - of["without AWS"],
    "provider: request and answer": of["without AWS"] - of["without AWS and provider"],
    "the product's own work": of["without AWS and provider"],
  };
}
