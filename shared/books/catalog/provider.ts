/** What a provider of the catalog is: where it runs, and which keys it has. */
import type { Provider } from "./catalog.ts";

/** Whether a URL leads to this machine. Only then may it be http. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Whether all addresses of a provider lead to this machine. */
export function isOnThisMachine({ protocols }: Pick<Provider, "protocols">): boolean {
  return Object.values(protocols).every((url) => isLoopback(url));
}

/** The names under which a provider's keys are in the secret. One of them is enough for its calls. */
export function keyNames({
  secret,
  secrets = [secret],
}: Pick<Provider, "secret" | "secrets">): readonly string[] {
  return secrets;
}
