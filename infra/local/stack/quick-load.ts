/**
 * Loads a module that needs the CDK in half the time. Node would strip types file by file, and read every name of the
 * CDK, which loads a module for each. So the module and what it imports of this project become one CommonJS text, which
 * asks the packages for no more than it uses.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { compileFunction } from "node:vm";
import { build, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "../../..");

/** What the module `entry`, a path of this repository, exports. Throws when it cannot be bundled. */
export async function loadQuickly<Exports>(entry: string): Promise<Exports> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node24",
    packages: "external",
    // It is loaded by another module.
    define: { "import.meta.main": "false" },
    plugins: [ownFolder],
    logLevel: "warning",
  });
  const filename = join(root, entry).replace(/\.ts$/, ".cjs");
  const run = compileFunction(outputFiles[0]?.text ?? "", ["require", "module"], { filename });
  const module = { exports: {} };
  run(createRequire(filename), module);
  return module.exports as Exports;
}

/** A module that asks for its folder, or for its address, is told where it stands in the repository. */
const ownFolder: Plugin = {
  name: "own-folder",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      if (!source.includes("import.meta")) return undefined;
      const contents = source
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)))
        .replaceAll("import.meta.url", JSON.stringify(String(pathToFileURL(path))));
      return { contents, loader: "ts" };
    });
  },
};
