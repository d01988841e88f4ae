/** Bundles a function: its entry, and beside it the parts that are loaded when they are first needed. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type BuildOptions, buildSync, type Metafile } from "esbuild";
import { writePages } from "./pages.ts";

/** The file of a bundle that Lambda loads. Its extension says what it is, whatever package the folder lies in. */
export const bundleName = "index.cjs";

const root = join(import.meta.dirname, "..");

const common = {
  absWorkingDir: root,
  platform: "node",
  target: "node24",
  minify: true,
  outExtension: { ".js": ".cjs" },
  logLevel: "warning",
} satisfies BuildOptions;

/**
 * Bundles the module `entry`, a path of this repository, into the folder `outdir`. What the code loads by `import()`
 * becomes a file of its own. What two of the files need becomes a third, so no module is there twice. `catalogFile` is
 * the absolute path of the JSON that the code imports as `#catalog`. The same code gives the same files on every
 * machine. Throws when the code cannot be bundled.
 */
export function bundleFunction(entry: string, catalogFile: string, outdir: string): void {
  const folder = mkdtempSync(join(tmpdir(), "bundle-"));
  try {
    const { metafile } = buildSync({
      ...common,
      entryPoints: { index: entry },
      outdir: folder,
      // Everything is in the bundle, so that what was tested is what runs.
      bundle: true,
      splitting: true,
      format: "esm",
      mainFields: ["module", "main"],
      // No bundle's start needs the package undici, so it becomes a part too.
      alias: { "#catalog": catalogFile, undici: join(root, "infra/undici-agent.cjs") },
      // The catalog is a file beside the code, so that the code does not grow with every model.
      loader: { ".catalog.json": "copy" },
      metafile: true,
    });
    const files = reachable(metafile).map((file) => join(folder, file));
    asCommonJs(
      files.filter((file) => file.endsWith(".cjs")),
      outdir,
    );
    for (const file of files.filter((name) => name.endsWith(".json")))
      copyFileSync(file, join(outdir, basename(file)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Bundles an entry that answers clients, as `bundleFunction` does, with its pages beside it. */
export function bundleGateway(entry: string, catalogFile: string, outdir: string): void {
  bundleFunction(entry, catalogFile, outdir);
  writePages(outdir);
}

/**
 * The names of the files that the entry may load. The bundler also writes files that nothing imports any more, because
 * the modules that imported them were dropped.
 */
function reachable({ outputs }: Metafile): string[] {
  const imports = new Map(
    Object.entries(outputs).map(([path, output]) => [
      basename(path),
      output.imports.map((each) => basename(each.path)),
    ]),
  );
  const found = new Set([bundleName]);
  for (const file of found) {
    for (const name of imports.get(file) ?? []) if (imports.has(name)) found.add(name);
  }
  return [...found];
}

/**
 * Writes ES modules as CommonJS, which the bundler cannot split. Node loads it with two thirds of the CPU time
 * (shared/decisions.md). For the platform of Node the bundler repeats the names of a file's exports at its end, so that
 * ES modules can import them. Only the entry is imported so.
 */
function asCommonJs(files: string[], outdir: string): void {
  const [entries, parts] = [true, false].map((isEntry) =>
    files.filter((file) => (basename(file) === bundleName) === isEntry),
  ) as [string[], string[]];
  const options = {
    ...common,
    outdir,
    format: "cjs",
    supported: { "dynamic-import": false },
    define: { "import.meta.dirname": "__dirname" },
  } as const;
  buildSync({ ...options, entryPoints: entries });
  if (parts.length > 0) buildSync({ ...options, entryPoints: parts, platform: "neutral" });
}
