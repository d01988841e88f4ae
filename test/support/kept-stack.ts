/** The stack as `npm start` synthesizes it, for tests that read its template or run its bundles. */
import { type FunctionResource, readResources, type StackResources } from "#infra/local/resources.ts";
import { keepAssembly, openAssembly, synthesize } from "#infra/local/synthesis.ts";
import { readTemplate } from "#infra/local/template.ts";
import { parseCatalog } from "#shared/catalog/schema.ts";
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
    const { folder, catalogFile, template } = openAssembly({
      catalog: JSON.stringify(parseCatalog(catalog)),
      keptIn,
      onTemporary,
    });
    if (template) return readResources(readTemplate(template), folder);
    const synthesized = await synthesize({ catalogFile, assembly: folder }, onTemporary);
    if (keptIn) keepAssembly(folder, keptIn);
    return readResources(readTemplate(synthesized), folder);
  };
  return keptIn ? await buildOnce(keptIn, open) : await open();
}

/** The function whose logical name begins with `name`. Throws where there is none. */
export function functionNamed({ functions }: StackResources, name: string): FunctionResource {
  const found = functions.find((each) => each.name.startsWith(name));
  if (!found) throw new Error(`the stack has no function ${name}`);
  return found;
}
