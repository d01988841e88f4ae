/** The operator's commands on the pepper, on providers' keys and on the credentials of platforms. */

import { createSecretStore } from "#shared/base/platform/secret-text.ts";
import { dropPepper, pepperStatus, rotatePepper } from "#shared/edges/operator/pepper.ts";
import {
  listPlatformMembers,
  platformMembers,
  putPlatformMember,
  removePlatformMember,
} from "#shared/edges/operator/platform-members.ts";
import {
  checkProviderKeyName,
  listProviderKeys,
  putProviderKey,
  removeProviderKey,
} from "#shared/edges/operator/provider-keys.ts";
import type { MemberLine } from "#shared/edges/operator/secret-members.ts";
import { createKeyHashes } from "#shared/edges/store/key-hashes.ts";
import { type CommandCall, type CommandGroup, command, type Progress } from "./command.ts";
import type { StackConnection } from "./connection.ts";
import { counted } from "./progress.ts";
import { catalogOf } from "./stores.ts";

/** Keys that are named where a drop is refused; `--json` names them all. */
const namedMax = 20;

/** The pepper of a place, and all keys, counted as they are read. */
function pepperOf({ aws, tables, pepperSecretArn }: StackConnection, progress: Progress) {
  const hashes = createKeyHashes(aws, tables);
  return {
    secret: createSecretStore(aws, pepperSecretArn),
    hashes: { ...hashes, all: () => counted(hashes.all(), "keys", progress) },
    now: Date.now,
  };
}

/** The providers' keys of a place, and the catalog that is in force there. */
async function providerKeysOf(call: Pick<CommandCall, "place" | "catalogFile">) {
  const connection = await call.place();
  return {
    secret: createSecretStore(connection.aws, connection.providersSecretArn),
    catalog: await catalogOf(call, connection),
    now: Date.now,
  };
}

/** The credentials of platforms and of the sender of messages. */
async function platformsOf(call: Pick<CommandCall, "place">) {
  const { aws, platformsSecretArn } = await call.place();
  return { secret: createSecretStore(aws, platformsSecretArn) };
}

/** Whether a name is a member of `platforms`. Throws for what is no name of a provider's key either. */
function isPlatform(name: string): boolean {
  if (platformMembers.includes(name)) return true;
  if (name === "accounts" || name === "pepper")
    throw new Error(`${name} is no name in a secret, but a secret of its own: ${name} rotate replaces it`);
  checkProviderKeyName(name);
  return false;
}

/** A line as people read it. */
function shownLine(line: MemberLine) {
  return { ...line, used_by: line.used_by.join(", ") || "none" };
}

const status = command({
  words: "pepper status",
  what: "shows the versions of the pepper, and counts the keys that each of them holds",
  more: "A living key is neither revoked nor expired. It moves to the current version when it is next used. It reads every key.",
  examples: { "": "how many keys still need the version before" },
  async run(call) {
    return { value: await pepperStatus(pepperOf(await call.place(), call.progress)) };
  },
});

const rotate = command({
  words: "pepper rotate",
  what: "makes a new version of the pepper, under which keys are hashed from now on",
  more: "No key is refused meanwhile. Processes use it within five minutes. The version before is kept until pepper drop. infra/resources/secrets.md says what to do, step by step.",
  examples: { "": "the first step of a rotation" },
  forGood: () =>
    "A new version of the pepper becomes current. Each key moves to it when it is next used. The cache does not find its older answers any more.",
  async run(call) {
    const connection = await call.place();
    if (!connection.knowsPepperVersions)
      throw new Error("the stage runs a release that reads no versions of the pepper: deploy this one first");
    return { value: await rotatePepper(pepperOf(connection, call.progress)) };
  },
});

const drop = command({
  words: "pepper drop",
  what: "drops the version of the pepper before the current one, if no living key needs it",
  more: "It refuses, names those keys and exits with 1 if there are any: wait until they are used, or revoke them. It also removes the old hashes of keys that moved more than 17 minutes ago: run it again for those it keeps. It reads every key.",
  examples: { "": "the last step of a rotation" },
  forGood: () =>
    "The version before is removed for good, unless a living key needs it. A repetition of a call that was answered under it gets 40900, and is not charged again.",
  async run(call) {
    const outcome = await dropPepper(pepperOf(await call.place(), call.progress));
    if (!("needed_by" in outcome)) return { value: outcome };
    const { needed_by } = outcome;
    const more = needed_by.length - namedMax;
    const shown = {
      living_keys: needed_by.length,
      needed_by: needed_by.slice(0, namedMax),
      ...(more > 0 && { more: `${more} more: --json names them all` }),
    };
    return { value: outcome, shown, ok: false };
  },
});

const name = {
  name: "NAME",
  what: `the name that the catalog uses, such as OPENAI_API_KEY, or one of ${platformMembers.join(", ")}`,
  missing: "give the name of the key, such as OPENAI_API_KEY; secret list shows the names",
};

const put = command({
  words: "secret put",
  what: "sets a provider's key, or the settings of a payment channel or of the sender of messages, from standard input",
  more: "At a terminal it asks for the value and does not show it. Give the value in no argument: other users of the machine see those. A key is one text, or the credential file of a cloud. Settings are a JSON object. Settings that the console could not use are refused, by the name of the field. Functions use the value within five minutes.",
  operands: [name],
  examples: {
    "OPENAI_API_KEY < key.txt": "sets the key in the file",
    "GOOGLE_CREDENTIALS < google.json": "lets the gateway be a service account of Google's",
    "alipay < alipay.json": "lets customers pay by Alipay",
  },
  async run(call) {
    const wanted = call.operand;
    // Nobody shall type a secret for a name or a place that is not there.
    if (isPlatform(wanted)) {
      const deps = await platformsOf(call);
      const text = await call.secretValue(`The settings of ${wanted} as JSON (they are not shown): `);
      const line = await putPlatformMember(wanted, text, deps);
      return { value: line, shown: shownLine(line) };
    }
    const deps = await providerKeysOf(call);
    const value = await call.secretValue(`The key for ${wanted} (it is not shown): `);
    const line = await putProviderKey(wanted, value, deps);
    return { value: line, shown: shownLine(line) };
  },
});

const list = command({
  words: "secret list",
  what: "lists the providers' keys that the catalog uses or that are set, and what the console pays and sends with; never a value",
  more: "The last four characters are shown of keys of 16 and more. The age is known of keys that secret put has set. Settings that the console cannot use are wrong, and the field is named.",
  examples: { "": "which keys are missing" },
  async run(call) {
    const [keys, platforms] = await Promise.all([
      providerKeysOf(call).then(listProviderKeys),
      platformsOf(call).then(listPlatformMembers),
    ]);
    const lines = [...keys, ...platforms];
    return { value: lines, shown: lines.map(shownLine) };
  },
});

const remove = command({
  words: "secret remove",
  what: "removes a provider's key, or a payment channel or the sender of messages",
  operands: [name],
  examples: { OPENAI_API_KEY: "its providers are not called with it any more" },
  forGood: ({ operands: [wanted = ""] }) =>
    platformMembers.includes(wanted)
      ? `The settings of ${wanted} are removed. Within five minutes the console does not use them any more. Payments that are under way there cannot be asked about.`
      : `The key ${wanted} is removed. Within five minutes no provider is called with it any more.`,
  async run(call) {
    const wanted = call.operand;
    const line = isPlatform(wanted)
      ? await removePlatformMember(wanted, await platformsOf(call))
      : await removeProviderKey(wanted, await providerKeysOf(call));
    return { value: line, shown: shownLine(line) };
  },
});

export const secrets: CommandGroup = {
  title: "Secrets",
  commands: [status, rotate, drop, put, list, remove],
};
