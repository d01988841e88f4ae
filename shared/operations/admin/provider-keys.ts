/** The providers' keys as an operator changes them: one name of the JSON object in their secret at a time. */
import { hash } from "node:crypto";
import type { Catalog } from "../../catalog/catalog.ts";
import type { SecretStore } from "../../platform/secret-text.ts";
import { rfc3339 } from "../api/instant.ts";

interface ProviderKeyDeps {
  secret: SecretStore;
  /** Only the providers of the catalog are read. */
  catalog: Pick<Catalog, "providers">;
  now: () => number;
}

/** One name on one line. */
export interface ProviderKeyLine {
  name: string;
  state: "set" | "missing";
  /** Providers of the catalog that are called with it. None: nobody uses it. */
  used_by: string[];
  /** The last characters of a long key; null where it is missing or short. */
  last_four: string | null;
  /** When it was set by a command; null where it was set in another way. */
  set_at: string | null;
  age_seconds: number | null;
}

/** The member of the secret that says when names were set. Functions read names whose values are texts alone. */
const setMember = "$set";
/** The last four characters of a shorter key would be too large a part of it. */
const longKeyChars = 16;
/** How often a change is tried that others come before. */
const triesMax = 5;

/** When a key was set, with a few characters of its hash: a key that was changed in another way has another one. */
interface SetNote {
  at: string;
  of: string;
}

type Fields = Record<string, unknown>;

/** Every name that the catalog uses or that is set, in alphabetical order. */
export async function listProviderKeys({
  secret,
  catalog,
  now,
}: ProviderKeyDeps): Promise<ProviderKeyLine[]> {
  const fields = fieldsIn((await secret.read()).text);
  const users = usersOf(catalog);
  const names = new Set([...users.keys(), ...Object.keys(fields).filter((name) => keyIn(fields, name))]);
  return [...names].sort().map((name) => lineOf(name, fields, users, now()));
}

/**
 * Sets a name to a key. The name is one of the catalog's, or one that a coming catalog will use. Throws for what is no
 * name and no key, without quoting the key.
 */
export async function putProviderKey(
  name: string,
  key: string,
  deps: ProviderKeyDeps,
): Promise<ProviderKeyLine> {
  checkProviderKeyName(name);
  if (key === "") throw new Error("the value is empty: nothing was changed");
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Error(
      "the value has spaces, line breaks or other characters that no key has: nothing was changed",
    );
  const note: SetNote = { at: rfc3339(deps.now()), of: digestOf(key) };
  const fields = await change(deps.secret, (before) => ({
    ...before,
    [name]: key,
    [setMember]: { ...notesIn(before), [name]: note },
  }));
  return lineOf(name, fields, usersOf(deps.catalog), deps.now());
}

/** Removes a name. Throws where it is not set. */
export async function removeProviderKey(name: string, deps: ProviderKeyDeps): Promise<ProviderKeyLine> {
  checkProviderKeyName(name);
  const fields = await change(deps.secret, (before) => {
    if (!Object.hasOwn(before, name)) throw new Error(`${name} is not set; secret list shows the names`);
    const { [name]: _key, ...rest } = before;
    const { [name]: _note, ...notes } = notesIn(before);
    return { ...rest, [setMember]: notes };
  });
  return lineOf(name, fields, usersOf(deps.catalog), deps.now());
}

/** Changes what the secret holds, again if somebody else does so meanwhile. Gives what it holds then. */
async function change(secret: SecretStore, to: (before: Fields) => Fields): Promise<Fields> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const before = await secret.read();
    const after = to(fieldsIn(before.text));
    if (await secret.replace(before, JSON.stringify(after, null, 2))) return after;
  }
  throw new Error("others change the secret all the time: nothing was changed; try again");
}

/** Throws where it is no JSON object, without quoting it. A person may have written it. */
function fieldsIn(text: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Told below.
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new Error("the providers' secret is no JSON object of names and keys; repair it first");
  return parsed as Fields;
}

/** The key of a name as functions read it; undefined where it is not set. */
function keyIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value.trim() || undefined : undefined;
}

function notesIn(fields: Fields): Partial<Record<string, SetNote>> {
  const notes = fields[setMember];
  return typeof notes === "object" && notes !== null ? (notes as Record<string, SetNote>) : {};
}

function lineOf(name: string, fields: Fields, users: Map<string, string[]>, now: number): ProviderKeyLine {
  const key = keyIn(fields, name);
  const note = notesIn(fields)[name];
  const set_at = key !== undefined && note?.of === digestOf(key) ? note.at : null;
  return {
    name,
    state: key === undefined ? "missing" : "set",
    used_by: users.get(name) ?? [],
    last_four: key !== undefined && key.length >= longKeyChars ? key.slice(-4) : null,
    set_at,
    age_seconds: set_at === null ? null : Math.max(0, Math.floor((now - Date.parse(set_at)) / 1000)),
  };
}

/** The names of the catalog, with the providers that use them. */
function usersOf({ providers }: Pick<Catalog, "providers">): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [provider, { secret, secrets = [secret] }] of Object.entries(providers)) {
    for (const name of secrets) users.set(name, [...(users.get(name) ?? []), provider]);
  }
  return users;
}

/** Throws for what cannot be the name of a provider's key. */
export function checkProviderKeyName(name: string): void {
  if (!/^[A-Z][A-Z0-9_]*$/.test(name))
    throw new Error(
      `${name} is no name of a provider's key: it has capitals, digits and _, such as OPENAI_API_KEY`,
    );
}

function digestOf(key: string): string {
  return hash("sha256", key).slice(0, 8);
}
