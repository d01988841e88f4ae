/** The stack as `npm start` synthesizes it, for tests that read its template or run its bundles. */

import { type FunctionResource, readResources, type StackResources } from "#infra/local/stack/resources.ts";
import { keepAssembly, openAssembly, synthesize, templateIn } from "#infra/local/stack/synthesis.ts";
import { readTemplate } from "#infra/local/stack/template.ts";
import { bundlesOf, giveCatalog } from "#infra/local/start/built-stack.ts";
import { makeBundles } from "#infra/local/start/bundling.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { buildOnce } from "./build-once.ts";

/**
 * Opens the stack over a catalog (as JSON) in a folder of its own. The first test of a run that asks for a stack
 * synthesizes it, and the others take a copy. `onTemporary` is told how to remove the folder.
 */
export async function openStack(
  catalog: unknown,
  onTemporary: (remove: () => void) => void,
): Promise<StackResources> {
  const keptIn = process.env.TEST_ASSEMBLY;
  const open = async () => {
    const { folder, isKept } = openAssembly({ keptIn, onTemporary });
    if (!isKept) await synthesize({ assembly: folder }, onTemporary);
    const resources = readResources(readTemplate(templateIn(folder)), folder);
    const catalogFile = giveCatalog(folder, parseCatalog(catalog));
    if (isKept) return resources;
    const names = bundlesOf(resources);
    await makeBundles({ assembly: folder, catalogFile, names, isPatient: false, isLast: true }, onTemporary);
    if (keptIn) keepAssembly(folder, keptIn);
    return resources;
  };
  return keptIn ? await buildOnce(keptIn, open) : await open();
}

/** The function whose logical name begins with `name`. Throws where there is none. */
export function functionNamed({ functions }: StackResources, name: string): FunctionResource {
  const found = functions.find((each) => each.name.startsWith(name));
  if (!found) throw new Error(`the stack has no function ${name}`);
  return found;
}
