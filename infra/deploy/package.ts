/**
 * `npm run package`: packs the construct for other CDK apps (construct.md), with types, all bundles and the default
 * catalog, into `.local/package` and a tarball beside it.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { catalogText } from "#shared/edges/operator/catalog-text.ts";
import { serverName, shippedCatalog } from "../bundles/built-code.ts";
import { bundledCatalogName } from "../bundles/bundle-files.ts";
import { bundleFunction, bundleNamed } from "../bundles/bundles.ts";
import { bundleServer } from "../bundles/server-bundle.ts";
import { compileCatalog } from "../catalog/catalog.ts";
import { readCatalogFiles } from "../catalog/catalog-files.ts";
import { defaultCatalog } from "../catalog/default-catalog.ts";

const root = join(import.meta.dirname, "../..");
/** The functions of the stack. */
const functions = ["settle", "sweep", "video-task", "learner"];

/** Builds the package into a folder, which is made anew. */
export function buildPackage(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, shippedCatalog), catalogText(readCatalogFiles(defaultCatalog).json));
  copyFileSync(join(root, "infra/stack/construct.md"), join(folder, "README.md"));
  writeBundles(folder);
  writeModule(folder);
  writeTypes(folder);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), undefined, 2)}\n`);
}

function writeBundles(folder: string): void {
  const compiled = compileCatalog(defaultCatalog, join(folder, bundledCatalogName));
  for (const name of functions) bundleFunction(`functions/${name}.ts`, compiled, made(folder, name));
  for (const name of ["gateway", "console"]) bundleNamed(name, compiled, made(folder, name));
  bundleServer(join(folder, serverName), compiled);
  rmSync(compiled);
}

function made(folder: string, name: string): string {
  const place = join(folder, name);
  mkdirSync(place);
  return place;
}

/** One module with everything but the CDK, of which an app may have only one. */
function writeModule(folder: string): void {
  buildSync({
    absWorkingDir: root,
    entryPoints: ["infra/stack/construct.ts"],
    outfile: join(folder, "index.js"),
    bundle: true,
    platform: "node",
    target: "node20.11",
    format: "esm",
    external: ["aws-cdk-lib", "constructs"],
    legalComments: "eof",
    logLevel: "warning",
  });
}

/** The declarations of construct.ts, which names no type of another file of ours. */
function writeTypes(folder: string): void {
  const scratch = made(folder, "types");
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true },
    ...{ outDir: scratch, rootDir: root, typeRoots: [join(root, "node_modules/@types")] },
  };
  const project = join(scratch, "tsconfig.json");
  const files = [join(root, "infra/stack/construct.ts")];
  const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: [], files };
  writeFileSync(project, JSON.stringify(settings));
  const tsc = join(createRequire(import.meta.url).resolve("typescript/package.json"), "../bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", project], { cwd: root, stdio: "inherit" });
  copyFileSync(join(scratch, "infra/stack/construct.d.ts"), join(folder, "index.d.ts"));
  rmSync(scratch, { recursive: true });
}

/** The package's own manifest. What it needs of the CDK are the versions that it was tested with, or newer ones. */
function manifest(): object {
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    name: string;
    version: string;
    description: string;
    license: string;
    devDependencies: Record<string, string>;
  };
  const { name, version, description, license, devDependencies } = own;
  const peers = ["aws-cdk-lib", "constructs"].map((peer) => [peer, `^${devDependencies[peer]}`]);
  return {
    ...{ name, version, private: true, description, license, type: "module", engines: { node: ">=20.11" } },
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    peerDependencies: Object.fromEntries(peers),
  };
}

/** Packs the folder with npm. Gives the path of the tarball, which lies in `place`. */
export function packFolder(folder: string, place: string): string {
  const told = execFileSync("npm", ["pack", "--json", "--pack-destination", place, folder], {
    encoding: "utf8",
  });
  const [{ filename } = { filename: "" }] = JSON.parse(told) as { filename: string }[];
  return join(place, filename);
}

if (import.meta.main) {
  const place = join(root, ".local");
  const folder = join(place, "package");
  buildPackage(folder);
  console.log(`${packFolder(folder, place)} has ${readdirSync(folder).toSorted().join(", ")}.`);
}
