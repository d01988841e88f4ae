/**
 * Synthesizes the stack in a process of its own, which gives its memory back: the CDK needs many times what the
 * gateway needs to run. Keeps it for later starts. A start loads this before anything else, so it imports little.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
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
import { bundledCatalogName } from "../../bundles/bundle-files.ts";
import { folderOf } from "./bundle-folders.ts";
import { type EndChild, runChild } from "./child.ts";
import { digestOfFiles, forgetOlderStacks, stackFolder } from "./stack-cache.ts";

const root = join(import.meta.dirname, "../../..");

interface AssemblyOptions {
  /** The folder of an earlier start, or the one that is to be kept. */
  keptIn?: string | undefined;
  taskLifetimeSeconds?: string | undefined;
  /** Told how to remove the folder when the gateway ends. */
  onTemporary: (remove: () => void) => void;
}

/** A folder for template and bundles, and whether both are there already. */
interface Assembly {
  folder: string;
  isKept: boolean;
}

/**
 * Opens the folder that the stack is synthesized into, with a copy of the stack that an earlier start has kept. One
 * that cannot be copied, or is not whole, counts as none.
 */
export function openAssembly({ keptIn, taskLifetimeSeconds, onTemporary }: AssemblyOptions): Assembly {
  const folder = mkdtempSync(join(tmpdir(), "model-gateway-"));
  onTemporary(() => removeWhole(folder));
  const isKept = keptIn !== undefined && copyKept(keptIn, folder, taskLifetimeSeconds ?? "");
  return { folder, isKept };
}

/** Node's removal stops half-way, without an error, where another process removes a file of the folder meanwhile. */
function removeWhole(folder: string): void {
  for (let tries = 0; tries < 5 && existsSync(folder); tries += 1)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
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

/** Copies a kept stack. A start writes over its JSON, and only reads the rest, which is linked in a tenth of the time. */
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
interface StackSeal {
  /** The lifetime of tasks that the stack was synthesized with. */
  taskLifetimeSeconds: string;
  /** The digest of all other files. */
  content: string;
}

const sealName = "kept.json";

/** Undefined where no stack is kept, or none whose seal can be read. */
function sealOf(keptIn: string): Partial<StackSeal> | undefined {
  try {
    return JSON.parse(readFileSync(join(keptIn, sealName), "utf8")) as Partial<StackSeal>;
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
export function bundlesWithCatalog(folder: string): string[] {
  const { name } = parse(bundledCatalogName);
  return readdirSync(folder)
    .filter((each) => each.startsWith(folderOf("")))
    .map((each) => join(folder, each))
    .filter((bundle) => readdirSync(bundle).some((file) => file.startsWith(name)));
}

/**
 * Keeps a synthesized folder for later starts, all of it or nothing. Of two starts the first one wins: another may be
 * copying a whole stack, so that is never removed. One that is broken, or has another lifetime, makes place.
 */
export function keepAssembly(folder: string, keptIn: string, taskLifetimeSeconds = ""): void {
  if (isWhole(keptIn, taskLifetimeSeconds)) return;
  const partial = mkdtempSync(`${keptIn}.`);
  try {
    cpSync(folder, partial, { recursive: true, filter: (path) => !isOfOneStart(path) });
    const seal: StackSeal = { taskLifetimeSeconds, content: contentOf(partial) };
    writeFileSync(join(partial, sealName), JSON.stringify(seal));
    moveInto(keptIn, partial, taskLifetimeSeconds);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** What a running gateway writes into its assembly: its log, and what the bundler is at. */
const isOfOneStart = (path: string) => /\/(?:log\.jsonl|tmp$)/.test(path);

/** Keeps a whole stack in the cache. What cannot be kept, as on a full disk, is built again by the next start. */
export function keepInCache(assembly: string, cached: string, taskLifetimeSeconds: string | undefined): void {
  try {
    // A file that was saved meanwhile may be in the stack, and was not in its hash.
    if (stackFolder(root, taskLifetimeSeconds) !== cached) return;
    mkdirSync(dirname(cached), { recursive: true });
    keepAssembly(assembly, cached, taskLifetimeSeconds);
    forgetOlderStacks(cached);
  } catch {
    // The next start builds it.
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
  /** Where the template goes. */
  assembly: string;
  /** Of `StageSettings`, as text. */
  taskLifetimeSeconds?: string | undefined;
}

/** Gives the template's path. Rejects with what the CDK said. `onStart` is given a way to end it early. */
export async function synthesize(
  { assembly, taskLifetimeSeconds }: SynthesisOptions,
  onStart: (end: EndChild) => void,
): Promise<string> {
  const args = [assembly, ...(taskLifetimeSeconds === undefined ? [] : [taskLifetimeSeconds])];
  await runChild(fileURLToPath(import.meta.url), args, {
    what: "the stack cannot be synthesized",
    onStart,
  });
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
  const [assembly = "", taskLifetimeSeconds] = process.argv.slice(2);
  const { loadQuickly } = await import("./quick-load.ts");
  const { synthesizeLocally } = await loadQuickly<typeof import("./local-app.ts")>(
    "infra/local/stack/local-app.ts",
  );
  synthesizeLocally(
    assembly,
    taskLifetimeSeconds === undefined ? {} : { taskLifetimeSeconds: Number(taskLifetimeSeconds) },
  );
  process.exit(0);
}
