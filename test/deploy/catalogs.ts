/** The catalogs that are deployed: the one of Bedrock, with the demo provider in every provider's place. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCatalog } from "#infra/catalog/catalog-files.ts";
import { defaultCatalog } from "#infra/catalog/default-catalog.ts";
import { localCatalog } from "#infra/local/start/local-catalog.ts";

/** A model that only Bedrock has, which the role of the function signs for. */
export const bedrockModel = "amazon/nova-2-lite";

/** The model whose price the second catalog doubles. */
export const pricedModel = "openai/gpt-5.4-mini";

interface Catalogs {
  /** Files of the first and the second catalog. */
  first: string;
  second: string;
  /** What the secret of the providers' keys must hold. */
  secrets: Record<string, string>;
}

/** Writes both catalogs to `folder`, with the demo provider at `demoUrl`. */
export function writeCatalogs(folder: string, demoUrl: string): Catalogs {
  const { catalog, secrets } = localCatalog(readCatalog(join(defaultCatalog, "../bedrock")), demoUrl, {});
  const models = catalog.models.map((model) => {
    if (model.id !== pricedModel) return model;
    if (model.price?.mode !== "flat_tokens") throw new Error(`${pricedModel} has another price mode`);
    return { ...model, price: { ...model.price, input: "1.5", output: "9" } };
  });
  const write = (name: string, content: object) => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const second = { ...catalog, version: `${catalog.version}-dearer`, models };
  return { first: write("first.json", catalog), second: write("second.json", second), secrets };
}
