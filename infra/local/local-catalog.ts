/** The catalog as this machine can serve it. */
import { readFileSync } from "node:fs";
import type { Catalog, Provider } from "#shared/catalog/catalog.ts";
import { parseCatalog } from "#shared/catalog/schema.ts";

/** The credential sent to the demo provider, which takes any. */
const demoSecret = "demo";

interface LocalCatalog {
  catalog: Catalog;
  /** Names of the providers that the demo provider plays. */
  played: string[];
  /** What the providers' secret holds. */
  secrets: Record<string, string>;
}

/**
 * Points every provider whose credential is not in the environment to the demo provider at `demoUrl`, with one base
 * URL per protocol. The catalog given is not changed.
 */
export function localCatalog(catalog: Catalog, demoUrl: string, env: NodeJS.ProcessEnv): LocalCatalog {
  const isPlayed = ({ secret }: Provider) => !env[secret];
  const names = Object.keys(catalog.providers);
  const providers = Object.entries(catalog.providers).map(([name, provider]): [string, Provider] => [
    name,
    isPlayed(provider) ? { ...provider, protocols: playedProtocols(name, provider, demoUrl) } : provider,
  ]);
  const secrets = Object.values(catalog.providers).map(({ secret }) => [secret, env[secret] || demoSecret]);
  return {
    catalog: { ...catalog, providers: Object.fromEntries(providers) },
    played: names.filter((name) => catalog.providers[name] && isPlayed(catalog.providers[name])),
    secrets: Object.fromEntries(secrets) as Record<string, string>,
  };
}

function playedProtocols(name: string, { protocols }: Provider, demoUrl: string): Provider["protocols"] {
  return Object.fromEntries(
    Object.keys(protocols).map((protocol) => [protocol, `${demoUrl}/${name}/${protocol}`]),
  );
}

/** Reads a catalog file and checks it. Throws, naming the file, when it cannot be read or is not valid. */
export function readCatalog(file: string): Catalog {
  try {
    return parseCatalog(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`catalog ${file}:\n${reason}`, { cause: error });
  }
}
