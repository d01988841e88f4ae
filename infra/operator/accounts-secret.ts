/** The operator's commands on the secret of accounts. */

import { createSecretStore } from "#shared/base/platform/secret-text.ts";
import {
  accountsSecretStatus,
  dropAccountsSecret,
  rotateAccountsSecret,
} from "#shared/edges/operator/accounts-secret.ts";
import { createConnectionMoves } from "#shared/edges/store/identity/connections.ts";
import { createContactMoves } from "#shared/edges/store/identity/contact-moves.ts";
import { createWebhooks } from "#shared/edges/store/news/webhooks.ts";
import { type CommandGroup, command, type Progress } from "./command.ts";
import type { StackConnection } from "./connection.ts";
import { counted } from "./progress.ts";

/** The secret of a place, and all users, counted as they are read. */
function accountsOf({ aws, tables, accountsSecretArn }: StackConnection, progress: Progress) {
  const contacts = createContactMoves(aws, tables);
  return {
    secret: createSecretStore(aws, accountsSecretArn),
    connections: createConnectionMoves(aws, tables),
    contacts: { ...contacts, users: () => counted(contacts.users(), "users", progress) },
    webhooks: createWebhooks(aws, tables),
    now: Date.now,
  };
}

const status = command({
  words: "accounts status",
  what: "shows the versions of the accounts' secret, and counts the users whose phone or address each of them holds",
  more: "A phone or an address moves to the current version when its user signs in with it. It reads every user.",
  examples: { "": "how many users are still under the version before" },
  async run(call) {
    return { value: await accountsSecretStatus(accountsOf(await call.place(), call.progress)) };
  },
});

const rotate = command({
  words: "accounts rotate",
  what: "makes a new version of the accounts' secret, under which phones and addresses are kept, and sessions signed, from now on",
  more: "Nobody is signed out meanwhile. Processes use it within five minutes. The version before is kept until accounts drop. infra/resources/secrets.md says what to do, step by step.",
  examples: { "": "the first step of a rotation" },
  forGood: () =>
    "A new version of the accounts' secret becomes current. Each phone and address moves to it when its user signs in with it, and all others when the version before is dropped.",
  async run(call) {
    return { value: await rotateAccountsSecret(accountsOf(await call.place(), call.progress)) };
  },
});

const drop = command({
  words: "accounts drop",
  what: "moves all phones, addresses and other secrets of people to the current version of the accounts' secret, and drops the version before",
  more: "It reads and may write every user. If it breaks off, run it again.",
  examples: { "": "the last step of a rotation" },
  forGood: () =>
    "The version before is removed for good. Who has not used the console since the rotation has to sign in again, and an invitation that was made before it is not found any more.",
  async run(call) {
    return { value: await dropAccountsSecret(accountsOf(await call.place(), call.progress)) };
  },
});

export const accountsSecrets: CommandGroup = { title: "Accounts' secret", commands: [status, rotate, drop] };
