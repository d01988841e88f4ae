/** The operator's commands on users of the console. */

import { readPeppers } from "#shared/base/platform/pepper.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import { entriesBy, revocationBy } from "#shared/edges/api/audited-keys.ts";
import {
  findUser,
  freezeUser,
  setUserStatus,
  showUser,
  type UserDeps,
} from "#shared/edges/operator/users.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createUserStatuses } from "#shared/edges/store/identity/user-statuses.ts";
import { createUsers } from "#shared/edges/store/identity/users.ts";
import { createIdentityKeys } from "#shared/people/identity/identity-keys.ts";
import { byOperator } from "#shared/people/orders/deps.ts";
import { type Command, type CommandCall, type CommandGroup, command } from "./command.ts";
import { storesOf } from "./stores.ts";

const user = {
  name: "USER",
  what: "the user's id, usr_…, their phone with its country's code, or their e-mail address",
  missing: "give the user's id, their phone such as +8613800000000, or their e-mail address",
};
/** An id as the examples write it. */
const sample = "usr_01M81Z5H5K9AHWPQ118FTWPX14";

async function depsOf(call: Pick<CommandCall, "place">): Promise<UserDeps> {
  const { connection, accounts, now } = await storesOf(call);
  const { aws, tables, accountsSecretArn } = connection;
  return {
    users: createUsers(aws, tables),
    statuses: createUserStatuses(aws, tables),
    sessions: createSessions(aws, tables),
    accounts,
    endKeys: async (organization, ids) => {
      const entryOf = revocationBy(
        entriesBy({ user: byOperator, organization: { id: organization } }, undefined, now),
      );
      await createAuditedKeys(aws, tables).revoke(organization, ids, now(), entryOf);
    },
    keys: createIdentityKeys(async () => readPeppers(await readSecret(aws, accountsSecretArn))),
    now,
  };
}

/** Shows a user, after a change if there is one. */
function showing(change?: (id: string, deps: UserDeps) => Promise<void>): Command["run"] {
  return async (call) => {
    const deps = await depsOf(call);
    const id = await findUser(call.operand, deps);
    await change?.(id, deps);
    return { value: await showUser(id, deps) };
  };
}

const show = command({
  words: "user show",
  what: "shows a user of the console: status, open sessions, organizations and roles",
  more: "Of the phone it shows the last four digits, and of the address its first character and its domain. Either of them on the command line is looked up by its hash.",
  operands: [user],
  examples: {
    [sample]: "one user",
    "+8613800000000": "the user with this phone",
  },
  run: showing(),
});

const freeze = command({
  words: "user freeze",
  what: "keeps a user from signing in, and refuses every call of their sessions at once",
  more: "Programs that they have signed in end too. Their organizations and other keys go on. Freeze the organization to stop its calls, or revoke a key.",
  operands: [user],
  examples: { [sample]: "the next call of every session is 40110" },
  run: showing(freezeUser),
});

const unfreeze = command({
  words: "user unfreeze",
  what: "lets a frozen user sign in again; sessions that are not over go on",
  operands: [user],
  examples: { [sample]: "as if nothing had been" },
  run: showing(async (id, deps) => await setUserStatus(id, "active", deps)),
});

export const users: CommandGroup = { title: "Users", commands: [show, freeze, unfreeze] };
