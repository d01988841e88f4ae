/** What a bundle says of itself at `GET /health`: a file in its folder of pages (shared/http/README.md "Pages"). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type About, aboutName } from "#shared/http/pages.ts";
import { digestOf } from "./catalog.ts";

/** Writes the file into `folder`: the version of the code, and the compiled catalog of this path. */
export function writeAbout(folder: string, version: string, catalogFile: string): void {
  const about: About = { version, catalog: catalogIn(catalogFile) };
  writeFileSync(join(folder, aboutName), JSON.stringify(about));
}

/** Names another compiled catalog, which was laid beside a bundle that is there. A bundle without pages says nothing. */
export function renameCatalog(bundle: string, catalogFile: string): void {
  const folder = join(bundle, "pages");
  const file = join(folder, aboutName);
  if (!existsSync(file)) return;
  const { version } = JSON.parse(readFileSync(file, "utf8")) as About;
  writeAbout(folder, version, catalogFile);
}

function catalogIn(compiledFile: string): About["catalog"] {
  const compiled = readFileSync(compiledFile);
  const { version } = JSON.parse(compiled.toString()) as { version: string };
  return { version, digest: digestOf(compiled) };
}
