/** Products that are wrong where keys are changed. */
import type { Transport } from "#shared/base/platform/aws.ts";
import type { Accounts } from "#shared/books/accounts/account.ts";
import type { Mutation } from "./mutation.ts";
import { changing, type Write } from "./rewriting.ts";

/** Gives attributes of such names another name, so that nobody reads them. */
function unread(write: Write, pattern: RegExp): void {
  const { ExpressionAttributeNames: names = {} } = write;
  for (const [slot, name] of Object.entries(names)) if (pattern.test(name)) names[slot] = `-${name}`;
}

const operators = (change: (inner: Transport) => Transport): Mutation => ({
  transport: (inner, role) => (role === "operator" ? change(inner) : inner),
});

/** The hash of an old secret leads to the key, as one does that the key has left for another pepper. */
const ledByOldSecrets = operators((inner) => (service, action, body) => {
  const input = JSON.parse(body) as { TransactItems?: { Put?: Write }[] };
  const items = (input.TransactItems ?? []).flatMap(({ Put }) => (Put?.Item ? [Put.Item] : []));
  const hash = items.find((item) => item.hash)?.hash;
  for (const item of items) {
    if (!item.rotated || !hash) continue;
    delete item.rotated;
    item.moved = hash;
  }
  return inner(service, action, JSON.stringify(input));
});

/** A gateway that does not know that a key's calls are held on the first shard alone. */
function onAnyShard(accounts: Accounts): Accounts {
  return {
    ...accounts,
    async findPrincipal(...asked) {
      const found = await accounts.findPrincipal(...asked);
      if (!found) return undefined;
      const { first_until: _, ...key } = found.key;
      return { ...found, key };
    },
  };
}

/** A change takes no part of a budget back: transfers by a last revision do nothing. */
function neverTakenBack(inner: Transport): Transport {
  return async (service, action, body) => {
    const input = JSON.parse(body) as { TransactItems?: { Update?: Write }[] };
    const names = (input.TransactItems ?? []).flatMap(({ Update }) =>
      Object.values(Update?.ExpressionAttributeNames ?? {}),
    );
    const isTransfer = names.includes("moves") && names.some((name) => /^x([0-9A-Z]{26}|O)/.test(name));
    return isTransfer ? {} : await inner(service, action, body);
  };
}

/** By name, as those of `mutants.ts`. */
export const mutantsOfKeys: Record<string, () => Mutation> = {
  "lets an old secret lead to its key for good": () => ledByOldSecrets,
  "leaves parts of a lowered budget to other shards": () => ({
    ...operators(neverTakenBack),
    ports: ({ accounts }, role) => (role === "gateway" ? { accounts: onAnyShard(accounts) } : {}),
  }),
  "changes budgets of levels and marks no meter": () =>
    operators((inner) => changing(inner, "TransactWriteItems", (write) => unread(write, /^xO(\.|$)/))),
  "changes a key and marks no meter": () =>
    operators((inner) => changing(inner, "TransactWriteItems", (write) => unread(write, /^x[0-9A-Z]{26}/))),
};
