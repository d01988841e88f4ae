/** The folder of the server: its bundle and its catalog, which is all that it needs beside Node and its environment. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { undiciAgent } from "./gateway-function.ts";

const root = join(import.meta.dirname, "..");

/**
 * Builds `functions/server.ts` into a folder, as `node FOLDER` and Lambda's runtime run it. `catalogFile` is the
 * absolute path of the checked catalog. Gives the folder. Throws when the code cannot be bundled.
 */
export function bundleServer(folder: string, catalogFile: string): string {
  const options = {
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node24",
    minify: true,
    logLevel: "warning",
  } as const;
  mkdirSync(folder, { recursive: true });
  buildSync({
    ...options,
    entryPoints: [join(root, "functions", "server.ts")],
    outfile: join(folder, "index.js"),
    format: "esm",
    mainFields: ["module", "main"],
    external: ["undici"],
    alias: { "#catalog": catalogFile },
    // A file beside the code, as with the functions.
    loader: { ".catalog.json": "copy" },
  });
  // Beside the bundle, and read only where Node carries none that can be used, as with the functions.
  buildSync({
    ...options,
    stdin: { contents: undiciAgent, resolveDir: root },
    outfile: join(folder, "node_modules/undici/index.js"),
  });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}\n');
  return folder;
}
