/**
 * The secret of accounts for operators (people/identity/README.md "The secret and its versions"). A drop moves every
 * contact that is left, and the secrets of webhooks.
 */

import { readPeppers } from "../../base/platform/pepper.ts";
import type { SecretStore } from "../../base/platform/secret-text.ts";
import { rfc3339 } from "../../books/billing/instant.ts";
import { contactName, contactsOf, openContact, sealContact } from "../../people/identity/contact.ts";
import type { ContactMoves } from "../../people/identity/contact-moves.ts";
import { eachVersion, type KeyVersions, keysOf } from "../../people/identity/identity-keys.ts";
import { resealed } from "../../people/news/signature.ts";
import type { WebhookStore } from "../../people/news/webhook.ts";
import { type ConnectionMoves, openSecret, sealSecret } from "../../people/sign-on/connection.ts";
import {
  dropped,
  linesOf,
  type Rotation,
  replaceVersions,
  rotateVersions,
  settledAt,
  type VersionLines,
} from "./secret-versions.ts";

interface AccountsSecretDeps {
  secret: SecretStore;
  contacts: ContactMoves;
  webhooks: Pick<WebhookStore, "all" | "of" | "change">;
  connections: ConnectionMoves;
  now: () => number;
}

const names = { secret: "the accounts' secret", text: "the accounts' secret", commands: "accounts" };

/** How many claims are removed with one transaction. */
const atOnce = 25;

/** What is in force, and which users it holds. */
interface AccountsSecretStatus extends VersionLines {
  users: {
    all: number;
    /** Users with a contact that is still under the version before. */
    on_previous: number;
    /** Users with a contact under a version that is gone. They cannot sign in by it. */
    on_none: number;
  };
}

/** Shows the versions, and counts the users of each. It reads the whole table. */
export async function accountsSecretStatus({
  secret,
  contacts,
  now,
}: Pick<AccountsSecretDeps, "secret" | "contacts" | "now">): Promise<AccountsSecretStatus> {
  const stored = await secret.read();
  const { current, previous } = readPeppers(stored.text);
  const users = { all: 0, on_previous: 0, on_none: 0 };
  for await (const user of contacts.users()) {
    const versionsOf = contactsOf(user).map(({ version }) => version);
    users.all += 1;
    if (versionsOf.some((version) => version !== current.version && version !== previous?.version))
      users.on_none += 1;
    else if (versionsOf.some((version) => version === previous?.version)) users.on_previous += 1;
  }
  return { ...linesOf(stored, now()), users };
}

/** Makes a new version current, and keeps the one before. Throws like `rotateVersions`. */
export async function rotateAccountsSecret(
  deps: Pick<AccountsSecretDeps, "secret" | "now">,
): Promise<Rotation> {
  return await rotateVersions(names, deps);
}

/** What came of a drop. */
interface AccountsSecretDrop {
  dropped: number;
  /** Users of whom this drop has moved a contact; the others had moved by signing in. */
  moved_users: number;
  /** Users with a contact under neither version, which stays as it is. */
  lost_users: number;
}

/**
 * Moves every contact, and every secret of webhooks and connections, to the current version, then drops the one before.
 * May be repeated after a crash. Throws where there is none, where a process may not know the rotation yet, or where
 * somebody else has changed the secret.
 */
export async function dropAccountsSecret({
  secret,
  contacts,
  webhooks,
  connections,
  now,
}: AccountsSecretDeps): Promise<AccountsSecretDrop> {
  const stored = await secret.read();
  const versions = readPeppers(stored.text);
  const keys = keysOf(versions);
  if (!keys.previous) throw new Error("there is no previous version of the accounts' secret to drop");
  const { current, previous } = keys;
  const settled = settledAt(stored);
  if (now() < settled) {
    const until = rfc3339(settled);
    throw new Error(
      `a process may still know nothing but version ${previous.version} of the accounts' secret; try again after ${until}`,
    );
  }
  const known = eachVersion(keys).map(({ version }) => version);
  const result = { dropped: previous.version, moved_users: 0, lost_users: 0 };
  let old: string[] = [];
  for await (const user of contacts.users()) {
    const kept = contactsOf(user);
    const there = kept.filter(({ version }) => known.includes(version));
    if (there.length < kept.length) result.lost_users += 1;
    let isMoved = false;
    for (const each of there) {
      const contact = await openContact(user.id, each, async () => keys);
      if (each.version !== current.version) {
        const box = sealContact(contact, user.id, current);
        isMoved = (await contacts.move(user, each.kind, contactName(contact, current), box)) || isMoved;
      }
      old.push(contactName(contact, previous));
    }
    if (isMoved) result.moved_users += 1;
    if (old.length < atOnce) continue;
    await contacts.forget(old);
    old = [];
  }
  await contacts.forget(old);
  await moveWebhooks(keys, { webhooks, now });
  await moveConnections(connections, keys);
  await replaceVersions(secret, stored, dropped(versions), names);
  return result;
}

/** Seals the secrets of all webhooks under the current version. Throws where somebody changes some at the same time. */
async function moveWebhooks(
  keys: KeyVersions,
  { webhooks, now }: Pick<AccountsSecretDeps, "webhooks" | "now">,
): Promise<void> {
  for await (const organization of webhooks.all()) {
    const before = await webhooks.of(organization);
    const list = await Promise.all(
      before.list.map(async (each) => ({ ...each, secrets: (await resealed(each, keys)) ?? each.secrets })),
    );
    const isMoved = list.every(({ secrets }, at) => secrets === before.list[at]?.secrets);
    if (!isMoved && !(await webhooks.change(before, list, undefined, now())))
      throw new Error(`the webhooks of ${organization} were changed at the same time: repeat the command`);
  }
}

/** Keeps the client's secret of every connection under the current version. One under neither stays, and is lost. */
async function moveConnections(connections: ConnectionMoves, keys: KeyVersions): Promise<void> {
  for await (const connection of connections.all()) {
    if (connection.secret_version === keys.current.version) continue;
    const secret = await openSecret(connection, async () => keys);
    if (secret !== undefined)
      await connections.move(connection, sealSecret(secret, connection.organization, keys.current));
  }
}
