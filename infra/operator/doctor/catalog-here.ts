/** The catalog of this folder as a deployment would bundle it: its digest, and the providers' keys that it needs. */
import { unratedAgentTools } from "#shared/books/catalog/agent-tools.ts";
import type { Provider } from "#shared/books/catalog/catalog.ts";
import { type CloudProvider, cloudProviders } from "#shared/edges/operator/cloud-providers.ts";
import { type PriceAges, priceAges } from "#shared/edges/operator/price-ages.ts";
import { digestOf } from "../../bundles/bundle-files.ts";
import { type BedrockModel, bedrockModels } from "../../catalog/bedrock-models.ts";
import { compiledCatalog } from "../../catalog/catalog.ts";

/** A catalog that would deploy, or why it would not. */
export type CatalogHere =
  | {
      file: string;
      version: string;
      /** As `GET /health` says it of a bundle. */
      digest: string;
      /** What coding agents send, and some of its models have no rate for. */
      unrated: readonly string[];
      /** When its prices were read. */
      ages: PriceAges;
      providers: Readonly<Record<string, Pick<Provider, "protocols" | "credential" | "secret" | "secrets">>>;
      /** What is called at Bedrock by a role. */
      bedrock: readonly BedrockModel[];
      /** The providers at clouds. */
      clouds: readonly CloudProvider[];
    }
  | { file: string; problem: string };

/** Reads and checks the catalog of a file at `now` (Unix ms). */
export function catalogHere(file: string, now = Date.now()): CatalogHere {
  try {
    const { text, catalog } = compiledCatalog(file);
    const { version, providers } = catalog;
    const ages = priceAges(catalog, now);
    return {
      file,
      version,
      digest: digestOf(text),
      unrated: unratedAgentTools(catalog),
      ages,
      providers,
      bedrock: bedrockModels(catalog),
      clouds: cloudProviders(catalog),
    };
  } catch (error) {
    return { file, problem: error instanceof Error ? error.message : String(error) };
  }
}
