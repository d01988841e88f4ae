/** Bundles a function: its entry, and beside it the parts that are loaded when they are first needed. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type BuildOptions, buildSync, type Metafile } from "esbuild";
import { bundleName, warmedName } from "./bundle-files.ts";
import { writeConsole } from "./console-assets.ts";
import { type Compression, writePages } from "./pages.ts";

const root = join(import.meta.dirname, "../..");

const common = {
  absWorkingDir: root,
  platform: "node",
  target: "node24",
  minify: true,
  outExtension: { ".js": ".cjs" },
  logLevel: "warning",
} satisfies BuildOptions;

/** How CommonJS is written: without `import()`, and with its own name for the folder of a file. */
const commonJs = {
  format: "cjs",
  supported: { "dynamic-import": false },
  define: { "import.meta.dirname": "__dirname" },
} satisfies BuildOptions;

/**
 * Bundles the module `entry`, a path of this repository, into `outdir`: one file of what it loads at its start, and one
 * for each `import()`. `catalogFile` is the absolute path of what the code imports as `#catalog`. The same code gives
 * the same files on every machine. Throws when it cannot be bundled.
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
      alias: {
        "#catalog": catalogFile,
        // No bundle's start needs the package undici, so it becomes a part too.
        undici: join(root, "infra/bundles/undici-agent.cjs"),
        urllib: join(root, "infra/bundles/no-urllib.cjs"),
      },
      // The catalog is a file beside the code, so that the code does not grow with every model.
      loader: { ".catalog.json": "copy" },
      metafile: true,
    });
    const imports = importsOf(metafile);
    const start = loadedBy(["import-statement"], imports);
    const later = loadedBy(["import-statement", "dynamic-import"], imports).filter(
      (file) => !start.includes(file),
    );
    writeStart({ folder, files: start.filter(isCode), later }, outdir);
    writeParts(
      later.map((file) => join(folder, file)),
      outdir,
    );
    for (const file of start) if (!isCode(file)) copyFileSync(join(folder, file), join(outdir, file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Bundles an entry that answers clients, as `bundleFunction` does, with its pages beside it. */
export function bundleGateway(
  entry: string,
  catalogFile: string,
  outdir: string,
  compression?: Compression,
): void {
  bundleFunction(entry, catalogFile, outdir);
  writePages(outdir, catalogFile, compression);
}

/** Bundles the console's function, as `bundleFunction` does, with the browser's files beside it. */
function bundleConsole(entry: string, catalogFile: string, outdir: string): void {
  bundleFunction(entry, catalogFile, outdir);
  writeConsole(outdir);
}

/** Lambda asks for the first call when this has been loaded (infra/resources/fronts.md "The first call of a sandbox"). */
const warmedStart = `import bundle from "./${bundleName}";
export const { handler } = bundle;
await bundle.warmUp();
`;

/** How each function is bundled that has files beside its code. */
const bundlers: Partial<Record<string, typeof bundleFunction>> = {
  gateway(entry, catalogFile, outdir) {
    bundleGateway(entry, catalogFile, outdir);
    writeFileSync(join(outdir, warmedName), warmedStart);
  },
  console: bundleConsole,
};

/** Bundles the function `functions/<name>.ts` with all that belongs beside its code, as `bundleFunction` does. */
export function bundleNamed(name: string, catalogFile: string, outdir: string): void {
  const bundle = bundlers[name] ?? bundleFunction;
  bundle(`functions/${name}.ts`, catalogFile, outdir);
}

const isCode = (file: string): boolean => file.endsWith(".cjs");

type Imports = Map<string, { name: string; kind: string }[]>;

/** What each file of a build imports. */
function importsOf({ outputs }: Metafile): Imports {
  return new Map(
    Object.entries(outputs).map(([path, { imports }]) => [
      basename(path),
      imports.map(({ path: imported, kind }) => ({ name: basename(imported), kind })),
    ]),
  );
}

/** The files that the entry loads by these imports. The bundler also writes some that nothing imports any more. */
function loadedBy(kinds: string[], imports: Imports): string[] {
  const found = new Set([bundleName]);
  for (const file of found) {
    for (const { name, kind } of imports.get(file) ?? [])
      if (imports.has(name) && kinds.includes(kind)) found.add(name);
  }
  return [...found];
}

/** The files of a build in a folder. */
interface Start {
  folder: string;
  /** What the entry always loads, itself included. */
  files: string[];
  /** All others that it may load. */
  later: string[];
}

/**
 * Joins the files that the entry always loads into one, because each reference between files takes room and time. In
 * the place of each stands a short file, which gives the parts what the joined one has of it.
 */
function writeStart({ folder, files, later }: Start, outdir: string): void {
  const shared = files.filter((file) => file !== bundleName);
  const contents = [
    `export * from "./${bundleName}";`,
    ...shared.map((file, at) => `export * as part${at} from "./${file}";`),
  ];
  buildSync({
    ...common,
    stdin: { contents: contents.join("\n"), resolveDir: folder },
    outfile: join(outdir, bundleName),
    ...commonJs,
    bundle: true,
    loader: { ".cjs": "js" },
    external: ["*.json", ...later.map((file) => `./${file}`)],
  });
  for (const [at, file] of shared.entries())
    writeFileSync(join(outdir, file), `module.exports=require("./${bundleName}").part${at};\n`);
}

/** Writes parts as CommonJS, which Node loads with two thirds of the CPU time (infra/decisions.md). */
function writeParts(files: string[], outdir: string): void {
  if (files.length === 0) return;
  buildSync({
    ...common,
    ...commonJs,
    outdir,
    entryPoints: files,
    platform: "neutral",
    // A client of others compares with -0 and means 0.
    logOverride: { "equals-negative-zero": "silent" },
  });
}
