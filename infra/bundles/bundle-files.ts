/** The files of a bundle: their names, and the name of its catalog's content. */
import { createHash } from "node:crypto";

/** The file of a bundle that Lambda loads. Its extension says what it is, whatever package the folder lies in. */
export const bundleName = "index.cjs";

/** The file that Lambda loads in its place where a function warms up: a module can be waited for. */
export const warmedName = "index.mjs";

/** The name of a compiled catalog. Its extension tells the bundler to lay it beside the code, unlike other JSON. */
export const bundledCatalogName = "bundled.catalog.json";

/** The name of a compiled catalog's content: two catalogs with the same digest charge and route the same. */
export function digestOf(compiled: string | Buffer): string {
  return createHash("sha256").update(compiled).digest("hex").slice(0, 12);
}
