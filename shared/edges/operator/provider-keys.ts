/** The providers' keys as an operator changes them: one name of the JSON object in their secret at a time. */
import { hash } from "node:crypto";
import { objectIn } from "../../base/json/fields.ts";
import type { SecretStore } from "../../base/platform/secret-text.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import type { Catalog } from "../../books/catalog/catalog.ts";
import { keyNames, valueNames } from "../../books/catalog/provider.ts";
import { changeMembers, type MemberLine, membersIn, type SecretMembers } from "./secret-members.ts";

interface ProviderKeyDeps {
  secret: SecretStore;
  /** Only the providers of the catalog are read. */
  catalog: Pick<Catalog, "providers">;
  now: () => number;
}

type ProviderKeyLine = MemberLine;

/** How messages name the secret. */
const what = "the providers' secret";

/** The member of the secret that says when names were set. Functions read names whose values are texts alone. */
const setMember = "$set";
/** The last four characters of a shorter key would be too large a part of it. */
const longKeyChars = 16;
/** When a key was set, with a few characters of its hash: a key that was changed in another way has another one. */
interface SetNote {
  at: string;
  of: string;
}

/** Every name that the catalog uses or that is set, in alphabetical order. */
export async function listProviderKeys({
  secret,
  catalog,
  now,
}: ProviderKeyDeps): Promise<ProviderKeyLine[]> {
  const fields = membersIn(what, (await secret.read()).text);
  const users = usersOf(catalog);
  const names = new Set([...users.keys(), ...Object.keys(fields).filter((name) => keyIn(fields, name))]);
  return [...names].sort().map((name) => lineOf(name, fields, users, now()));
}

/**
 * Sets a name of the catalog, or of a coming one, to a key, or to a cloud's credential file. Throws for what is neither,
 * and quotes none of it.
 */
export async function putProviderKey(
  name: string,
  value: string,
  deps: ProviderKeyDeps,
): Promise<ProviderKeyLine> {
  checkProviderKeyName(name);
  const key = isFile(value) ? onOneLine(value) : value;
  if (key === "") throw new Error("the value is empty: nothing was changed");
  if (!isFile(key) && !/^[\x21-\x7e]+$/.test(key))
    throw new Error(
      "the value has spaces, line breaks or other characters that no key has: nothing was changed",
    );
  const note: SetNote = { at: rfc3339(deps.now()), of: digestOf(key) };
  const change = (before: SecretMembers) => ({
    ...before,
    [name]: key,
    [setMember]: { ...notesIn(before), [name]: note },
  });
  const fields = await changeMembers(what, change, deps.secret);
  return lineOf(name, fields, usersOf(deps.catalog), deps.now());
}

/** Removes a name. Throws where it is not set. */
export async function removeProviderKey(name: string, deps: ProviderKeyDeps): Promise<ProviderKeyLine> {
  checkProviderKeyName(name);
  const change = (before: SecretMembers) => {
    if (!Object.hasOwn(before, name)) throw new Error(`${name} is not set; secret list shows the names`);
    const { [name]: _key, ...rest } = before;
    const { [name]: _note, ...notes } = notesIn(before);
    return { ...rest, [setMember]: notes };
  };
  const fields = await changeMembers(what, change, deps.secret);
  return lineOf(name, fields, usersOf(deps.catalog), deps.now());
}

/** Whether a value is the JSON of a credential file of Google or Azure. No key begins like that. */
function isFile(value: string): boolean {
  return value.startsWith("{");
}

function onOneLine(file: string): string {
  const fields = objectIn(file);
  if (!fields)
    throw new Error(
      "the value begins like a credential file and is no JSON object; give the whole file: nothing was changed",
    );
  return JSON.stringify(fields);
}

/** The key of a name as functions read it; undefined where it is not set. */
function keyIn(fields: SecretMembers, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value.trim() || undefined : undefined;
}

function notesIn(fields: SecretMembers): Partial<Record<string, SetNote>> {
  const notes = fields[setMember];
  return typeof notes === "object" && notes !== null ? (notes as Record<string, SetNote>) : {};
}

function lineOf(
  name: string,
  fields: SecretMembers,
  users: Map<string, string[]>,
  now: number,
): ProviderKeyLine {
  const key = keyIn(fields, name);
  const note = notesIn(fields)[name];
  const set_at = key !== undefined && note?.of === digestOf(key) ? note.at : null;
  return {
    name,
    state: key === undefined ? "missing" : "set",
    used_by: users.get(name) ?? [],
    last_four: key !== undefined && key.length >= longKeyChars && !isFile(key) ? key.slice(-4) : null,
    set_at,
    age_seconds: set_at === null ? null : Math.max(0, Math.floor((now - Date.parse(set_at)) / 1000)),
    problem: null,
  };
}

/** The names of the catalog, with the providers that use them. */
function usersOf({ providers }: Pick<Catalog, "providers">): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const [name, provider] of Object.entries(providers)) {
    for (const key of [...keyNames(provider), ...valueNames(provider)])
      users.set(key, [...(users.get(key) ?? []), name]);
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
