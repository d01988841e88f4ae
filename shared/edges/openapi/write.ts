/** `npm run openapi`: writes the kept OpenAPI documents, of the gateway, of the console and of the operators' API. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adminDocument } from "./admin.ts";
import { consoleDocument } from "./console.ts";
import { openApiDocument } from "./document.ts";

const shared = join(import.meta.dirname, "../..");

/** The texts of the documents as they must be kept, by the names of their files. */
export function documentTexts(): Record<"openapi.json" | "console.json" | "admin.json", string> {
  const { version } = JSON.parse(readFileSync(join(shared, "../package.json"), "utf8")) as {
    version: string;
  };
  const text = (document: object) => `${JSON.stringify(document, undefined, 1)}\n`;
  return {
    "openapi.json": text(openApiDocument(version)),
    "console.json": text(consoleDocument(version)),
    "admin.json": text(adminDocument(version)),
  };
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(documentTexts())) {
    const file = join(import.meta.dirname, name);
    writeFileSync(file, text);
    console.log(`wrote ${file}`);
  }
}
