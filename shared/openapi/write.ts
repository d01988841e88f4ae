/** `npm run openapi`: writes the kept OpenAPI document. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openApiDocument } from "./document.ts";

const shared = join(import.meta.dirname, "..");

/** The text of the document as it must be kept. */
export function documentText(): string {
  const { version } = JSON.parse(readFileSync(join(shared, "../package.json"), "utf8")) as {
    version: string;
  };
  const headers = readFileSync(join(shared, "gateway/headers.md"), "utf8");
  return `${JSON.stringify(openApiDocument({ headers, version }), undefined, 1)}\n`;
}

if (import.meta.main) {
  const file = join(import.meta.dirname, "openapi.json");
  writeFileSync(file, documentText());
  console.log(`wrote ${file}`);
}
