/** Code that was bundled before it was packed (construct.md): a user's app needs neither the sources nor a bundler. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { Code } from "aws-cdk-lib/aws-lambda";
import { replaceCatalog } from "./about.ts";
import type { CodeSource } from "./code.ts";

/** The folder of the server among the built bundles, and the default catalog beside them. */
export const serverName = "server";
export const shippedCatalog = "catalog.json";

/**
 * Takes the bundles of `built`, a folder for each function and one for the server, with the checked catalog of this
 * path. Copies go into the folder `outdir`, which is emptied by nobody else.
 */
export function builtCode(built: string, catalogFile: string, outdir: string): CodeSource {
  return {
    functionCode: (name) => Code.fromAsset(withCatalog(join(built, name), catalogFile, join(outdir, name))),
    writeServer: (folder) => withCatalog(join(built, serverName), catalogFile, folder),
  };
}

/** Copies a bundle and puts the catalog in the place of the one that it was built with. Gives the copy. */
function withCatalog(bundle: string, catalogFile: string, copy: string): string {
  cpSync(bundle, copy, { recursive: true });
  replaceCatalog([copy], catalogFile);
  return copy;
}
