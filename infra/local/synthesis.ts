/**
 * Synthesizes the stack in a process of its own, whose memory is given back afterwards: what the CDK needs
 * to describe the stack is many times what the gateway needs to run. (A thread would not do: the CDK hands
 * its own standard error to the bundler, and a thread's cannot be handed on.)
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A folder for template and bundles, and its template where that is there already. */
export interface Assembly {
  folder: string;
  catalogFile: string;
  template?: string;
}

/**
 * Opens the folder that the stack is synthesized into, with the catalog that goes into the bundles. `keptIn` names one
 * of an earlier start, which is used again while it has the same catalog; it does not know of code that has changed.
 */
export function openAssembly(
  catalog: string,
  keptIn: string | undefined,
  onTemporary: (remove: () => void) => void,
): Assembly {
  const known = keptIn && join(keptIn, catalogName);
  if (known && existsSync(known) && readFileSync(known, "utf8") === catalog) {
    return { folder: keptIn, catalogFile: known, template: templateIn(keptIn) };
  }
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-"));
  onTemporary(() => rmSync(folder, { recursive: true, force: true }));
  const catalogFile = join(folder, catalogName);
  writeFileSync(catalogFile, catalog);
  return { folder, catalogFile };
}

const catalogName = "catalog.json";

/** Keeps a synthesized folder for later starts. It appears whole or not at all, whatever dies meanwhile. */
export function keepAssembly(folder: string, keptIn: string): void {
  const partial = `${keptIn}.${process.pid}`;
  cpSync(folder, partial, { recursive: true });
  rmSync(keptIn, { recursive: true, force: true });
  renameSync(partial, keptIn);
}

export interface SynthesisOptions {
  /** The compiled catalog that the gateway's bundle carries. */
  catalogFile: string;
  /** Where template and bundles go. */
  assembly: string;
  /** Of `AppOptions`. */
  taskLifetimeSeconds?: string | undefined;
}

/** Gives the template's path. Rejects with what the CDK said. `onStart` is given a way to end it early. */
export async function synthesize(
  options: SynthesisOptions,
  onStart: (end: () => void) => void,
): Promise<string> {
  const { catalogFile, assembly, taskLifetimeSeconds } = options;
  const args = [catalogFile, assembly, ...(taskLifetimeSeconds === undefined ? [] : [taskLifetimeSeconds])];
  const child = fork(fileURLToPath(import.meta.url), args, {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: [],
  });
  onStart(() => child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`the stack cannot be synthesized:\n${output}`);
  return templateIn(assembly);
}

/** The template in an assembly. It is the only stack's, so there is one. */
export function templateIn(assembly: string): string {
  const file = readdirSync(assembly).find((name) => name.endsWith(".template.json"));
  if (!file) throw new Error(`${assembly} holds no template`);
  return join(assembly, file);
}

if (import.meta.main) {
  process.on("disconnect", () => process.exit(1));
  const [catalogFile = "", assembly = "", taskLifetimeSeconds] = process.argv.slice(2);
  const { buildApp } = await import("../build-app.ts");
  const lifetime = taskLifetimeSeconds === undefined ? {} : { taskLifetimeSeconds };
  buildApp({ stage: "dev", isLocal: true, catalogFile, outdir: assembly, ...lifetime }).app.synth();
  process.exit(0);
}
