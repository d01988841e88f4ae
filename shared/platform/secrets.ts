/** The pepper and the providers' keys from Secrets Manager, kept in memory and refreshed in the background. */
import { limits } from "../limits.ts";
import type { Aws } from "./aws.ts";

export interface Secrets {
  pepper(): Promise<string>;
  /** The value of a name in the providers' secret, or undefined when ops have not set it. */
  provider(name: string): Promise<string | undefined>;
}

interface Cached {
  value: Promise<string>;
  read_at: number;
}

/**
 * Reads the secrets at once, so that a cold start waits for one round trip. Rejects when a first read fails.
 * A function that checks no keys is given no pepper.
 */
export function createSecrets(
  aws: Aws,
  ids: { pepper?: string; providers: string },
  now: () => number = Date.now,
): Secrets {
  const cache = new Map<string, Cached>();

  const read = async (id: string): Promise<string> => {
    const answer = await aws<{ SecretString: string }>("secretsmanager", "GetSecretValue", { SecretId: id });
    return answer.SecretString;
  };

  const get = (id: string): Promise<string> => {
    const cached = cache.get(id);
    if (cached && now() - cached.read_at < limits.secretCacheSeconds * 1000) return cached.value;
    const fresh = { value: read(id), read_at: now() };
    cache.set(id, fresh);
    // A call never waits for a refresh, and a failed one leaves the old value to serve and be tried again.
    fresh.value.catch(() => (cached ? cache.set(id, cached) : cache.delete(id)));
    return cached?.value ?? fresh.value;
  };

  const { pepper, providers } = ids;
  if (pepper !== undefined) get(pepper).catch(() => {});
  get(providers).catch(() => {});
  return {
    async pepper() {
      if (pepper === undefined) throw new Error("this function has no pepper");
      return await get(pepper);
    },
    async provider(name) {
      const values = JSON.parse(await get(providers)) as Record<string, unknown>;
      const value = values[name];
      return typeof value === "string" && value !== "" ? value : undefined;
    },
  };
}
