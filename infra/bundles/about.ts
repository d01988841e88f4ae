/** What a bundle says of itself at `GET /health` (shared/base/http/README.md "Pages"). */
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { type About, aboutName } from "#shared/base/http/pages.ts";
import { bundledCatalogName, digestOf } from "./bundle-files.ts";

/** Writes the file into `folder`: the version of the code, and the compiled catalog of this path. */
export function writeAbout(folder: string, version: string, catalogFile: string): void {
  const about: About = { version, catalog: catalogIn(catalogFile) };
  writeFileSync(join(folder, aboutName), JSON.stringify(about));
}

/** Lays another compiled catalog beside bundles, whose pages say so. Throws where not one lies beside the code. */
export function replaceCatalog(bundles: readonly string[], catalogFile: string): void {
  for (const bundle of bundles) {
    copyFileSync(catalogFile, catalogBeside(bundle));
    const folder = join(bundle, "pages");
    const file = join(folder, aboutName);
    if (!existsSync(file)) continue;
    const { version } = JSON.parse(readFileSync(file, "utf8")) as About;
    writeAbout(folder, version, catalogFile);
  }
}

/** The path of the compiled catalog beside a bundle. Throws where there is not one. */
export function catalogBeside(bundle: string): string {
  const { name, ext } = parse(bundledCatalogName);
  const [kept, ...others] = readdirSync(bundle).filter((file) => file.startsWith(name) && file.endsWith(ext));
  if (kept === undefined || others.length > 0)
    throw new Error(`${bundle} has not one catalog beside its code`);
  return join(bundle, kept);
}

function catalogIn(compiledFile: string): About["catalog"] {
  const compiled = readFileSync(compiledFile);
  const { version } = JSON.parse(compiled.toString()) as { version: string };
  return { version, digest: digestOf(compiled) };
}
