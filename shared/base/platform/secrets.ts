/** The peppers and the providers' keys from Secrets Manager, kept in memory and read again before they are too old. */
import { limits } from "../limits.ts";
import type { Aws } from "./aws.ts";
import { describeError, type Log } from "./log.ts";
import { type Peppers, readPeppers } from "./pepper.ts";

export interface Secrets {
  /** The pepper's versions. A copy that opens nothing is given as `stale`, and read again unless it just was. */
  peppers(stale?: Peppers): Promise<Peppers>;
  /** The value of a name in the providers' secret, or undefined when nobody has set it. */
  provider(name: string): Promise<string | undefined>;
  /** Whether the providers' secret was read and nobody has set this name in it. It asks nobody. */
  lacks(name: string): boolean;
}

/** Reads all secrets at once. Only a function that checks keys has peppers. A first read that fails rejects. */
export function createSecrets(
  aws: Aws,
  ids: { pepper?: string; providers: string },
  log: Log,
  now: () => number = Date.now,
): Secrets {
  const { pepper: pepperId, providers: providersId } = ids;
  const peppers =
    pepperId === undefined
      ? undefined
      : keep(async () => readPeppers(await readSecret(aws, pepperId)), log, now);
  const providers = keep(async () => keysIn(await readSecret(aws, providersId)), log, now);
  peppers?.read().catch(() => {});
  providers.read().catch(() => {});
  return {
    async peppers(stale) {
      if (peppers === undefined) throw new Error("this function has no pepper");
      return stale === undefined ? await peppers.read() : await peppers.renew(stale);
    },
    provider: async (name) => (await providers.read()).get(name),
    lacks: (name) => providers.kept()?.has(name) === false,
  };
}

/** The text of a secret. Throws like `Aws`, and an `Error` when the secret holds no text. */
export async function readSecret(aws: Aws, id: string): Promise<string> {
  const { SecretString } = await aws("secretsmanager", "GetSecretValue", { SecretId: id });
  if (SecretString === undefined) throw new Error(`the secret ${id} holds no text`);
  return SecretString;
}

/** Reads the text of a secret, which is kept in memory like the others. Reading it throws like `readSecret`. */
export function keptSecret(
  aws: Aws,
  id: string,
  log: Log,
  now: () => number = Date.now,
): () => Promise<string> {
  return keep(() => readSecret(aws, id), log, now).read;
}

/** The versions of the secret `accounts`, written and kept like the pepper; `stale` as with `Secrets.peppers`. */
export function keptVersions(
  aws: Aws,
  id: string,
  log: Log,
  now: () => number = Date.now,
): (stale?: Peppers) => Promise<Peppers> {
  const { read, renew } = keep(async () => readPeppers(await readSecret(aws, id)), log, now);
  return async (stale) => (stale === undefined ? await read() : await renew(stale));
}

/** The providers' keys by name, without empty ones and trimmed; undefined where the text is no JSON object. */
export function readKeys(text: string): Map<string, string> | undefined {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    // The parser's message would quote a key into the log.
    return undefined;
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  const keys = Object.entries(given).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value.trim() : "",
  ]);
  return new Map(keys.filter(([, key]) => key !== ""));
}

function keysIn(text: string): ReadonlyMap<string, string> {
  const keys = readKeys(text);
  if (!keys) throw new Error("the providers' secret is no JSON object of names and keys");
  return keys;
}

interface KeptSecret<Value> {
  read: () => Promise<Value>;
  /** Another value than `stale`, if there is one. Reads again if that is what is in memory, but not all the time. */
  renew: (stale: Value) => Promise<Value>;
  /** What is in memory, however old. */
  kept: () => Value | undefined;
}

/**
 * Keeps what `read` gives for `secretCacheSeconds`. A busy process reads again in the background; one that was frozen
 * waits, as its value may be old. If a read fails, the old value stays and the next read comes soon.
 */
function keep<Value>(read: () => Promise<Value>, log: Log, now: () => number): KeptSecret<Value> {
  let kept: { value: Value; read_at: number } | undefined;
  let reading: Promise<Value> | undefined;
  let renewed_at = Number.NEGATIVE_INFINITY;

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

  return {
    async read() {
      const age = kept ? now() - kept.read_at : Number.POSITIVE_INFINITY;
      if (kept && age < limits.secretRefreshSeconds * 1000) return kept.value;
      reading ??= readNow();
      return kept && age < limits.secretCacheSeconds * 1000 ? kept.value : await reading;
    },
    async renew(stale) {
      if (kept && kept.value !== stale) return kept.value;
      const isRecent = now() - renewed_at < limits.secretRenewSeconds * 1000;
      if (kept && isRecent && !reading) return kept.value;
      renewed_at = now();
      reading ??= readNow();
      return await reading;
    },
    kept: () => kept?.value,
  };
}
