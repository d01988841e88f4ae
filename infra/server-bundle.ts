/** The folder of the server: its bundle and its catalog, which is all that it needs beside Node and its environment. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";

const root = join(import.meta.dirname, "..");

/**
 * Builds `functions/server.ts` into a folder, as `node FOLDER` and Lambda's runtime run it. `catalogFile` is the
 * absolute path of the checked catalog. Gives the folder. Throws when the code cannot be bundled.
 */
export function bundleServer(folder: string, catalogFile: string): string {
  mkdirSync(folder, { recursive: true });
  buildSync({
    entryPoints: [join(root, "functions", "server.ts")],
    absWorkingDir: root,
    outfile: join(folder, "index.js"),
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    minify: true,
    logLevel: "warning",
    alias: { "#catalog": catalogFile },
    // A file beside the code, as with the functions.
    loader: { ".catalog.json": "copy" },
  });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}\n');
  return folder;
}
