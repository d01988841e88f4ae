/** The pepper and the providers' keys from Secrets Manager, kept in memory and refreshed before they are too old. */
import { limits } from "../limits.ts";
import type { Aws } from "./aws.ts";
import { describeError, type Log } from "./log.ts";

export interface Secrets {
  pepper(): Promise<string>;
  /** The value of a name in the providers' secret, or undefined when ops have not set it. */
  provider(name: string): Promise<string | undefined>;
}

/**
 * Reads the secrets at once, so that a cold start waits for one round trip. Rejects when a first read fails.
 * A function that checks no keys is given no pepper. A later read that fails is logged.
 */
export function createSecrets(
  aws: Aws,
  ids: { pepper?: string; providers: string },
  log: Log,
  now: () => number = Date.now,
): Secrets {
  const { pepper: pepperId, providers: providersId } = ids;
  const pepper = pepperId === undefined ? undefined : keep(() => readSecret(aws, pepperId), log, now);
  const providers = keep(async () => keysIn(await readSecret(aws, providersId)), log, now);
  pepper?.().catch(() => {});
  providers().catch(() => {});
  return {
    async pepper() {
      if (pepper === undefined) throw new Error("this function has no pepper");
      return await pepper();
    },
    provider: async (name) => (await providers()).get(name),
  };
}

/** The text of a secret. Throws like `Aws`, and an `Error` when the secret holds no text. */
export async function readSecret(aws: Aws, id: string): Promise<string> {
  const { SecretString } = await aws("secretsmanager", "GetSecretValue", { SecretId: id });
  if (SecretString === undefined) throw new Error(`the secret ${id} holds no text`);
  return SecretString;
}

/**
 * The providers' keys by name, those that are set. A person writes this secret: space around a key is none of
 * it. Throws when it is no JSON object; what the parser says would quote a key into the log.
 */
function keysIn(text: string): ReadonlyMap<string, string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Told below.
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new Error("the providers' secret is no JSON object of names and keys");
  const keys = new Map<string, string>();
  for (const [name, value] of Object.entries(parsed)) {
    const key = typeof value === "string" ? value.trim() : "";
    if (key !== "") keys.set(name, key);
  }
  return keys;
}

/**
 * What `read` gives, for `secretCacheSeconds`. It is read again in the background before that, so that a busy
 * process never waits; one that was frozen meanwhile does, because its value may be hours old. A value that
 * cannot be read again serves on, and is tried again in the background.
 */
function keep<Value>(read: () => Promise<Value>, log: Log, now: () => number): () => Promise<Value> {
  let kept: { value: Value; read_at: number } | undefined;
  let reading: Promise<Value> | undefined;

  const readNow = async (): Promise<Value> => {
    const read_at = now();
    try {
      kept = { value: await read(), read_at };
      return kept.value;
    } catch (error) {
      if (!kept) throw error;
      log("error", "secret_unreadable", { error: describeError(error) });
      kept.read_at = now() - limits.secretRefreshSeconds * 1000;
      return kept.value;
    } finally {
      reading = undefined;
    }
  };

  return async () => {
    const age = kept ? now() - kept.read_at : Number.POSITIVE_INFINITY;
    if (kept && age < limits.secretRefreshSeconds * 1000) return kept.value;
    reading ??= readNow();
    return kept && age < limits.secretCacheSeconds * 1000 ? kept.value : await reading;
  };
}
