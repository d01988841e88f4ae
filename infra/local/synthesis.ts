/**
 * Synthesizes the stack in a process of its own, which gives its memory back: the CDK needs many times what the
 * gateway needs to run. A thread would not do, because the CDK passes its standard error to the bundler, and a thread
 * has none to pass.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, parse, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { replaceCatalog } from "../about.ts";
import { bundledCatalogName, compileCatalog } from "../catalog.ts";
import { digestOfFiles } from "./stack-cache.ts";

/** A folder for template and bundles, and its template where that is there already. */
interface Assembly {
  folder: string;
  catalogFile: string;
  template?: string;
}

interface AssemblyOptions {
  /** The catalog that goes into the bundles, as JSON. */
  catalog: string;
  /** The folder of an earlier start, or the one that is to be kept. */
  keptIn?: string | undefined;
  taskLifetimeSeconds?: string | undefined;
  /** Told how to remove the folder when the gateway ends. */
  onTemporary: (remove: () => void) => void;
}

/**
 * Opens the folder that the stack is synthesized into. If an earlier start has kept its stack, this one gets a copy
 * with its own catalog, which is a file beside the bundles. Code that has changed since is not in a kept stack. One that
 * cannot be copied, or is not whole, counts as none: the stack is synthesized anew.
 */
export function openAssembly({
  catalog,
  keptIn,
  taskLifetimeSeconds,
  onTemporary,
}: AssemblyOptions): Assembly {
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-"));
  onTemporary(() => rmSync(folder, { recursive: true, force: true }));
  const isKept = keptIn !== undefined && copyKept(keptIn, folder, taskLifetimeSeconds ?? "");
  const catalogFile = join(folder, "catalog.json");
  writeFileSync(catalogFile, catalog);
  if (!isKept) return { folder, catalogFile };
  const bundles = bundlesWithCatalog(folder);
  if (bundles.length === 0) throw new Error(`${keptIn} holds no catalog to replace`);
  const compiled = compileCatalog(catalogFile, join(folder, bundledCatalogName));
  for (const bundle of bundles) replaceCatalog(bundle, compiled);
  return { folder, catalogFile, template: templateIn(folder) };
}

/** Copies a kept stack. False where there is none for this lifetime of tasks, and nothing is in the folder then. */
function copyKept(keptIn: string, folder: string, taskLifetimeSeconds: string): boolean {
  const seal = sealOf(keptIn);
  if (seal?.taskLifetimeSeconds !== taskLifetimeSeconds) return false;
  try {
    copyFolder(keptIn, folder);
    // Another start may have removed it meanwhile, or a power cut has left files without their content.
    if (contentOf(folder) === seal.content) return true;
  } catch {
    // The same as a copy that is not whole.
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  return false;
}

/**
 * Copies the files of a kept stack. A start writes over its JSON, such as the catalogs. It only reads the others, so they
 * are linked, which takes a tenth of the time.
 */
function copyFolder(from: string, to: string): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const source = join(entry.parentPath, entry.name);
    const target = join(to, relative(from, source));
    if (entry.isDirectory()) mkdirSync(target, { recursive: true });
    else if (target.endsWith(".json")) copyFileSync(source, target);
    else linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    // The two folders may be on different disks, or on one that has no links.
    copyFileSync(source, target);
  }
}

/** What lies in a kept stack beside its files, and is written last. */
interface Seal {
  /** The lifetime of tasks that the stack was synthesized with. */
  taskLifetimeSeconds: string;
  /** The digest of all other files. */
  content: string;
}

const sealName = "kept.json";

/** Undefined where no stack is kept, or none whose seal can be read. */
function sealOf(keptIn: string): Partial<Seal> | undefined {
  try {
    return JSON.parse(readFileSync(join(keptIn, sealName), "utf8")) as Partial<Seal>;
  } catch {
    return undefined;
  }
}

function contentOf(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return digestOfFiles(folder, names.filter((name) => name !== sealName).sort());
}

/** Whether the stack that is kept there has this lifetime of tasks, and all its files as they were. */
function isWhole(keptIn: string, taskLifetimeSeconds: string): boolean {
  const seal = sealOf(keptIn);
  if (seal?.taskLifetimeSeconds !== taskLifetimeSeconds) return false;
  try {
    return contentOf(keptIn) === seal.content;
  } catch {
    return false;
  }
}

/** The bundles of an assembly that have a catalog beside their code. */
function bundlesWithCatalog(folder: string): string[] {
  const { name, ext } = parse(bundledCatalogName);
  return globSync(`asset.*/${name}*${ext}`, { cwd: folder }).map((file) => join(folder, dirname(file)));
}

/**
 * Keeps a synthesized folder for later starts. A process that dies leaves all of it or nothing. When two starts keep
 * the same stack at once, the first one wins: a stack that is whole is never removed, because another start may be copying
 * it. One that is broken, or has another lifetime of tasks, makes place.
 */
export function keepAssembly(folder: string, keptIn: string, taskLifetimeSeconds = ""): void {
  if (isWhole(keptIn, taskLifetimeSeconds)) return;
  const partial = mkdtempSync(`${keptIn}.`);
  try {
    cpSync(folder, partial, { recursive: true });
    const seal: Seal = { taskLifetimeSeconds, content: contentOf(partial) };
    writeFileSync(join(partial, sealName), JSON.stringify(seal));
    moveInto(keptIn, partial, taskLifetimeSeconds);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

function moveInto(keptIn: string, partial: string, taskLifetimeSeconds: string): void {
  try {
    renameSync(partial, keptIn);
  } catch {
    // Something is there: a folder that has files is not renamed over.
    if (isWhole(keptIn, taskLifetimeSeconds)) return;
    rmSync(keptIn, { recursive: true, force: true });
    renameSync(partial, keptIn);
  }
}

interface SynthesisOptions {
  /** The compiled catalog that the gateway's bundle carries. */
  catalogFile: string;
  /** Where template and bundles go. */
  assembly: string;
  /** Of `StageSettings`, as text. */
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

/** The template in an assembly, which has one stack. */
export function templateIn(assembly: string): string {
  const file = readdirSync(assembly).find((name) => name.endsWith(".template.json"));
  if (!file) throw new Error(`${assembly} holds no template`);
  return join(assembly, file);
}

if (import.meta.main) {
  process.on("disconnect", () => process.exit(1));
  const [catalogFile = "", assembly = "", taskLifetimeSeconds] = process.argv.slice(2);
  const { buildApp } = await import("../build-app.ts");
  const { bundleForOneThread } = await import("./one-thread.ts");
  const settings =
    taskLifetimeSeconds === undefined ? {} : { taskLifetimeSeconds: Number(taskLifetimeSeconds) };
  buildApp({ stage: "dev", isLocal: true, settings, catalogFile, outdir: assembly }).app.synth();
  bundleForOneThread(join(assembly, bundledCatalogName), assembly);
  process.exit(0);
}
