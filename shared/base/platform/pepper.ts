/**
 * The pepper in its versions (infra/resources/secrets.md "The pepper"). Hashes of API keys and our keys of encryption
 * come from it. What was made before a rotation is under `previous`, until an operator drops that.
 */
import { deriveKey } from "./encryption.ts";

export interface Pepper {
  /** Counts from 1. A key's record says under which version it is hashed. */
  version: number;
  value: string;
  /** When it was made, RFC 3339. Only a rotation knows that of its own. */
  made_at?: string;
}

/** The versions that are in use at a time. */
export interface Peppers {
  current: Pepper;
  /** The version before, until it is dropped. */
  previous?: Pepper;
  /** The key that names clients' idempotency keys. It never changes, so that every process finds every repeated call. */
  replayNames: Buffer;
}

/** How the secret writes a version. */
interface WrittenPepper {
  version: number;
  pepper: string;
  made_at?: string;
}

/** The versions in the secret's text. Text that is no JSON is the pepper itself, version 1. Throws without quoting it. */
export function readPeppers(text: string): Peppers {
  if (text === "") throw new Error("the pepper's secret is empty");
  if (!text.startsWith("{")) return peppersOf({ version: 1, value: text });
  const { current, previous, replay_names } = parse(text);
  if (!isWritten(current) || (previous !== undefined && !isWritten(previous))) throw unreadable();
  if (previous && previous.version >= current.version) throw unreadable();
  if (replay_names !== undefined && typeof replay_names !== "string") throw unreadable();
  return peppersOf(
    pepperOf(current),
    previous && pepperOf(previous),
    replay_names === undefined ? undefined : Buffer.from(replay_names, "base64url"),
  );
}

/** The secret's text of these versions. `readPeppers` gives them back. */
export function writePeppers({ current, previous, replayNames }: Peppers): string {
  return JSON.stringify({
    current: written(current),
    ...(previous && { previous: written(previous) }),
    replay_names: replayNames.toString("base64url"),
  });
}

/** Versions with the names that belong to them: those that are given, else the ones of the oldest version. */
export function peppersOf(current: Pepper, previous?: Pepper, replayNames?: Buffer): Peppers {
  return {
    current,
    ...(previous && { previous }),
    replayNames: replayNames ?? deriveKey((previous ?? current).value, "idempotency keys"),
  };
}

/**
 * What `open` gives under the first version that opens it: current, previous, then those that `renew` reads anew,
 * because another process may know a rotation earlier. Throws what `open` threw under the current one.
 */
export async function openUnder<Opened>(
  peppers: Peppers,
  open: (pepper: string) => Opened,
  renew: () => Promise<Peppers>,
): Promise<Opened> {
  const first = attempt(peppers, open);
  if ("opened" in first) return first.opened;
  const newer = await renew();
  const second = newer.current.version === peppers.current.version ? first : attempt(newer, open);
  if ("opened" in second) return second.opened;
  throw second.error;
}

function attempt<Opened>(
  { current, previous }: Peppers,
  open: (pepper: string) => Opened,
): { opened: Opened } | { error: unknown } {
  let error: unknown;
  for (const pepper of previous ? [current, previous] : [current]) {
    try {
      return { opened: open(pepper.value) };
    } catch (thrown) {
      error ??= thrown;
    }
  }
  return { error };
}

function parse(text: string): { current?: unknown; previous?: unknown; replay_names?: unknown } {
  try {
    return JSON.parse(text) as object;
  } catch {
    // The parser's message would quote the pepper into the log.
    throw unreadable();
  }
}

function unreadable(): Error {
  return new Error("the pepper's secret is neither a plain text nor a JSON object of versions");
}

function isWritten(value: unknown): value is WrittenPepper {
  const { version, pepper } = (value ?? {}) as Partial<WrittenPepper>;
  return Number.isSafeInteger(version) && Number(version) >= 1 && typeof pepper === "string" && pepper !== "";
}

function pepperOf({ version, pepper, made_at }: WrittenPepper): Pepper {
  return { version, value: pepper, ...(typeof made_at === "string" && { made_at }) };
}

function written({ version, value, made_at }: Pepper): WrittenPepper {
  return { version, pepper: value, ...(made_at !== undefined && { made_at }) };
}
