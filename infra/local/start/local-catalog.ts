/** The catalog as this machine can serve it. */
import type { Catalog, Channel, ModelEntry, Provider } from "#shared/books/catalog/catalog.ts";
import { isCallable, isOnThisMachine, keyNames, valueNames } from "#shared/books/catalog/provider.ts";
import { semantic } from "../demo/semantic.ts";
import { threeWays, threeWaysModel } from "../demo/three-ways.ts";

/** The credential sent to the demo provider, which takes any. */
const demoSecret = "demo";

/** The credential sent to a provider of this machine that has none. Such servers take any. */
const noSecret = "none";

/** Credential files of clouds, for the token services that the demo provider plays. `url` is the provider's there. */
const demoFiles: Partial<Record<Provider["auth"], (url: string) => object>> = {
  google: (url) => ({
    type: "external_account",
    audience: "//iam.googleapis.com/demo",
    subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
    token_url: `${url}/token/google/exchange`,
    service_account_impersonation_url: `${url}/token/google/demo:generateAccessToken`,
  }),
  azure: (url) => ({
    tenantId: "demo",
    clientId: "demo",
    clientSecret: demoSecret,
    activeDirectoryEndpointUrl: `${url}/token/azure`,
  }),
};

/** How each of these files begins. */
const demoFile = `{"for":"${demoSecret}"`;

/** What the demo provider is shown by a provider that it plays. */
function demoKey(name: string, { auth }: Pick<Provider, "auth">, demoUrl: string): string {
  const file = demoFiles[auth]?.(`${demoUrl}/${name}`);
  return file ? JSON.stringify({ for: demoSecret, ...file }) : demoSecret;
}

/** Whether a credential is one that somebody has set. */
const isSet = (value: unknown): value is string =>
  typeof value === "string" && value !== demoSecret && value !== noSecret && !value.startsWith(demoFile);

/** The credentials that somebody has set, in the text of the providers' secret. */
export function keysSet(text: string): Record<string, string> {
  const all = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return Object.fromEntries(all.filter((entry): entry is [string, string] => isSet(entry[1])));
}

export interface LocalCatalog {
  catalog: Catalog;
  /** Names of the providers that the demo provider plays. */
  played: string[];
  /** What the providers' secret holds. */
  secrets: Record<string, string>;
}

/**
 * Points every provider without a credential in the environment to the demo provider, with one base URL per protocol.
 * One at an address of this machine is called for real, also without. The catalog given is not changed.
 */
export function localCatalog(catalog: Catalog, demoUrl: string, env: NodeJS.ProcessEnv): LocalCatalog {
  const isPlayed = (provider: Provider) =>
    keyNames(provider).every((name) => !env[name]) && !isOnThisMachine(provider);
  const names = Object.keys(catalog.providers);
  const providers = Object.entries(catalog.providers).map(([name, provider]): [string, Provider] => [
    name,
    isPlayed(provider) ? asPlayed(name, provider, demoUrl) : provider,
  ]);
  // The real ones are called by the values of the environment. The gateway leaves out those of several keys of a
  // provider that are not there.
  const secrets = Object.entries(catalog.providers).flatMap(([provided, provider]) => {
    const demo = demoKey(provided, provider, demoUrl);
    const shown = [
      ...keyNames(provider).map((name) => [name, demo]),
      ...valueNames(provider).map((name) => [name, demoSecret]),
    ];
    return shown.flatMap(([name = "", value]) =>
      env[name] ? [[name, env[name]]] : isPlayed(provider) ? [[name, value]] : [],
    );
  });
  for (const provider of Object.values(catalog.providers)) {
    if (isPlayed(provider) || keyNames(provider).some((name) => env[name])) continue;
    for (const name of keyNames(provider).slice(0, 1)) secrets.push([name, noSecret]);
  }
  const played = names.filter((name) => catalog.providers[name] && isPlayed(catalog.providers[name]));
  const isReal = ({ provider: name }: Channel) => {
    const provider = catalog.providers[name];
    if (!provider || isPlayed(provider)) return false;
    return isOnThisMachine(provider) || isCallable(provider, (each) => Boolean(env[each]));
  };
  return {
    catalog: {
      ...catalog,
      providers: Object.fromEntries(providers),
      models: catalog.models.map((model) => calledFor(model, isReal)),
    },
    played,
    secrets: Object.fromEntries(secrets) as Record<string, string>,
  };
}

/** A model that is called for real is not called at the demo provider too: what that says is no answer. */
function calledFor(model: ModelEntry, isReal: (channel: Channel) => boolean): ModelEntry {
  const real = model.channels.filter(isReal);
  return real.length === 0 ? model : { ...model, channels: real };
}

/** A provider as the demo provider plays it. It has no role that could be assumed, and no token. */
function asPlayed(name: string, { credential: _, ...provider }: Provider, demoUrl: string): Provider {
  return { ...provider, protocols: playedProtocols(name, Object.keys(provider.protocols), demoUrl) };
}

function playedProtocols(name: string, protocols: readonly string[], demoUrl: string): Provider["protocols"] {
  return Object.fromEntries(protocols.map((protocol) => [protocol, `${demoUrl}/${name}/${protocol}`]));
}

/** The names of the providers that `withDemoModels` adds. */
export const demoProviders: readonly string[] = [...threeWays.providers, semantic.provider];

/**
 * Adds the model `demo/three-ways`, and an embedder and a judge for the cache. The demo provider at `demoUrl` plays
 * their providers. The cache asks these two, unless the catalog's own models for it are called for real.
 */
export function withDemoModels({ catalog, played, secrets }: LocalCatalog, demoUrl: string): LocalCatalog {
  const secret = "DEMO_KEY";
  const providers = demoProviders.map((name): [string, Provider] => [
    name,
    {
      protocols: playedProtocols(name, ["openai", "responses", "anthropic", "gemini"], demoUrl),
      auth: "bearer",
      secret,
    },
  ]);
  const asked = Object.values(catalog.cache ?? semantic.cache);
  const isReal = catalog.models
    .filter(({ id }) => asked.includes(id))
    .every(({ channels }) => channels.some(({ provider }) => !played.includes(provider)));
  return {
    catalog: {
      ...catalog,
      providers: { ...catalog.providers, ...Object.fromEntries(providers) },
      models: [...catalog.models, threeWaysModel, ...semantic.models],
      cache: catalog.cache && isReal ? catalog.cache : semantic.cache,
    },
    played,
    secrets: { ...secrets, [secret]: demoSecret },
  };
}
