/**
 * The bundles of a stack, each in a folder of its assembly, made in other processes. The start waits for the one that
 * answers clients. The others come after it, at a low priority, and an invocation waits for its bundle.
 */
import { mkdirSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderOf, oneThread } from "../stack/bundle-folders.ts";
import { type EndChild, runChild } from "../stack/child.ts";
import { keepInCache, templateIn } from "../stack/synthesis.ts";

interface BundlingOptions {
  assembly: string;
  /** The compiled catalog that is laid beside each bundle. */
  catalogFile: string;
  names: readonly string[];
  /** Whether others come first, who may use the processors. */
  isPatient: boolean;
  /** Whether these are the last ones: then the stack is made ready to be kept. */
  isLast?: boolean;
  /** Told of each bundle that is there. */
  onBundled?: (name: string) => void;
  /** Where the assembly is kept when it is whole, and with which lifetime of tasks. */
  keep?: { keptIn: string; taskLifetimeSeconds: string | undefined } | undefined;
}

/** Makes bundles in this order. Rejects with what the bundler said. `onStart` is given a way to end it early. */
export async function makeBundles(
  { onBundled, isPatient, ...work }: BundlingOptions,
  onStart: (end: EndChild) => void,
): Promise<void> {
  const temporary = join(work.assembly, "tmp");
  mkdirSync(temporary, { recursive: true });
  await runChild(fileURLToPath(import.meta.url), [JSON.stringify(work)], {
    what: "the stack cannot be built",
    // What the bundler has half written goes with the assembly.
    env: { ...process.env, TMPDIR: temporary, GOGC: "400" },
    ...(isPatient && { priority: constants.priority.PRIORITY_LOW }),
    ...(onBundled && { onMessage: (name) => onBundled(String(name)) }),
    onStart,
  });
}

/** What no start waits for: state machines are checked, and so is the catalog that ships, for the next starts. */
async function finish(assembly: string): Promise<void> {
  const [{ keepShipped }, { readResources }, { readTemplate }, { checkDefinition }] = await Promise.all([
    import("./catalog-source.ts"),
    import("../stack/resources.ts"),
    import("../stack/template.ts"),
    import("../emulators/state-machine.ts"),
  ]);
  for (const machine of readResources(readTemplate(templateIn(assembly)), assembly).stateMachines)
    await checkDefinition(machine);
  await keepShipped(assembly);
}

if (import.meta.main) {
  process.on("disconnect", () => process.exit(1));
  const { assembly, catalogFile, names, isLast, keep } = JSON.parse(process.argv[2] ?? "") as BundlingOptions;
  const { bundleGateway, bundleNamed } = await import("../../bundles/bundles.ts");
  for (const name of names) {
    const folder = join(assembly, folderOf(name));
    mkdirSync(folder, { recursive: true });
    if (name === oneThread) bundleGateway("functions/front/gateway.ts", catalogFile, folder, "quick");
    else bundleNamed(name, catalogFile, folder);
    process.send?.(name);
  }
  if (isLast) await finish(assembly);
  if (keep) keepInCache(assembly, keep.keptIn, keep.taskLifetimeSeconds);
  process.exit(0);
}
