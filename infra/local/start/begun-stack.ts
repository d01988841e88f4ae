/** The first step of a start: an earlier start's stack, or one built in other processes. It imports little. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundledCatalogName } from "../../bundles/bundle-files.ts";
import { folderOf, oneThread } from "../stack/bundle-folders.ts";
import type { EndChild } from "../stack/child.ts";
import { stackFolder } from "../stack/stack-cache.ts";
import { openAssembly, synthesize, templateIn } from "../stack/synthesis.ts";
import { makeBundles } from "./bundling.ts";
import { removeAtEnd } from "./leftovers.ts";
import type { StartSettings } from "./settings.ts";

const root = join(import.meta.dirname, "../../..");

export interface BegunStack {
  assembly: string;
  /** Whether an earlier start has built it. */
  isKept: boolean;
  /** Where it is or shall be kept. */
  keptIn: string;
  /** The template's path, once it is there. */
  template: Promise<string>;
  /** The bundle that answers clients: its folder, once it is there. Its catalog is empty, unless it was kept. */
  front: Promise<string>;
}

/** Begins. The disposal of `parts` ends what runs then. */
export function beginStack(
  {
    assembly,
    taskLifetimeSeconds,
    isolated,
  }: Pick<StartSettings, "assembly" | "taskLifetimeSeconds" | "isolated">,
  parts: AsyncDisposableStack,
): BegunStack {
  const keptIn = assembly ?? stackFolder(root, taskLifetimeSeconds);
  const { folder, isKept } = openAssembly({
    keptIn,
    taskLifetimeSeconds,
    onTemporary: (remove) => removeAtEnd(remove, parts),
  });
  const front = isolated ? "gateway" : oneThread;
  if (isKept) {
    const there = { template: Promise.resolve(templateIn(folder)), front: Promise.resolve(folderOf(front)) };
    return { assembly: folder, isKept, keptIn, ...there };
  }
  const onStart = (end: EndChild) => parts.defer(end);
  const catalogFile = emptyCatalog(folder);
  const begun = {
    template: synthesize({ assembly: folder, taskLifetimeSeconds }, onStart),
    front: makeBundles({ assembly: folder, catalogFile, names: [front], isPatient: false }, onStart).then(
      () => folderOf(front),
    ),
  };
  // Whoever waits for them is told. Until then a failure is nobody's.
  for (const each of Object.values(begun)) each.catch(() => {});
  return { assembly: folder, isKept, keptIn, ...begun };
}

/** A catalog to bundle with before that of this machine is known, which takes its place. */
function emptyCatalog(folder: string): string {
  const file = join(folder, "tmp", bundledCatalogName);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ version: "none" }));
  return file;
}
