/** What a provider of the catalog is: where it runs, and what of the providers' secret it needs. */
import type { Provider } from "./catalog.ts";

/** Whether a URL leads to this machine. Only then may it be http. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Whether all addresses of a provider lead to this machine. */
export function isOnThisMachine({ protocols }: Pick<Provider, "protocols">): boolean {
  return Object.values(protocols).every((url) => isLoopback(withoutNames(url)));
}

/** The names under which a provider's keys are in the secret. One is enough for its calls. A role needs none. */
export function keyNames({ secret, secrets }: Pick<Provider, "secret" | "secrets">): readonly string[] {
  return secrets ?? (secret === undefined ? [] : [secret]);
}

/** The names of a provider's accounts: those of its keys, or its kind of credential where it has none. */
export function accountNames(
  provider: Partial<Pick<Provider, "auth" | "secret" | "secrets">>,
): readonly string[] {
  const names = keyNames(provider);
  return names.length > 0 ? names : [provider.auth ?? ""];
}

/** `{ACME_PROJECT}`: a value of the providers' secret. `{region}`: the region of the gateway. */
const placeholder = /\{([A-Z][A-Z0-9_]*|region)\}/g;

/** The names of the secret's values that stand in a provider's base URLs or credential. All must be there. */
export function valueNames({
  protocols,
  credential,
}: Partial<Pick<Provider, "protocols" | "credential">>): readonly string[] {
  const text = JSON.stringify([protocols, credential]);
  const names = Array.from(text.matchAll(placeholder), ([, name = ""]) => name);
  return [...new Set(names)].filter((name) => name !== "region");
}

/** Whether a provider can be called if the providers' secret `has` these names. */
export function isCallable(
  provider: Pick<Provider, "protocols" | "credential" | "secret" | "secrets">,
  has: (name: string) => boolean,
): boolean {
  const keys = keyNames(provider);
  return (keys.length === 0 || keys.some(has)) && valueNames(provider).every(has);
}

/** A text with `valueFor` each name in it. */
export function filled(text: string, valueFor: (name: string) => string): string {
  return text.includes("{") ? text.replace(placeholder, (_, name: string) => valueFor(name)) : text;
}

/** An address with something in place of each name, so that it can be looked at. */
export function withoutNames(url: string): string {
  return filled(url, () => "x");
}
