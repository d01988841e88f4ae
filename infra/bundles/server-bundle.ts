/** The folder of the server: its bundle, its catalog and its pages, which is all that it needs beside Node and its environment. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleName } from "./bundle-files.ts";
import { bundleGateway } from "./bundles.ts";

/**
 * Builds `functions/server.ts` into a folder, as `node FOLDER` and Lambda's runtime run it. `catalogFile` is the
 * absolute path of the checked catalog. Gives the folder. Throws when the code cannot be bundled.
 */
export function bundleServer(folder: string, catalogFile: string): string {
  mkdirSync(folder, { recursive: true });
  bundleGateway("functions/server.ts", catalogFile, folder);
  // Lambda's runtime loads the file of this name (aws.md §2.1).
  writeFileSync(join(folder, "index.js"), `require("./${bundleName}");\n`);
  writeFileSync(join(folder, "package.json"), '{"type":"commonjs"}\n');
  return folder;
}
