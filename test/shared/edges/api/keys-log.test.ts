/** Keys that are made and revoked over HTTP leave a line: a restore to an earlier instant cannot know of them else. */
import { expect, test } from "vitest";
import type { LogFields } from "#shared/base/platform/log.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import type { KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { revokeKey } from "#shared/edges/api/key-changes.ts";
import { rightsOfKey } from "#shared/edges/api/key-rights.ts";
import { createKey } from "#shared/edges/api/keys.ts";
import { noon } from "#test/support/store.ts";
import { keyOf } from "#test/support/wallets.ts";

const organization: Organization = {
  ...{ id: "org_1", name: "Test", status: "active", subscription: null, permissions: [], created_at: noon },
  wallet: { meter: "mtr_w", shards: 1 },
};
const key: KeyRecord = { ...keyOf(organization), permissions: ["manage_keys"] };
const rights = await rightsOfKey({ key, organization });

test("a line has the key's id, and never its secret", async () => {
  const lines: [event: string, fields: LogFields][] = [];
  let made: KeyRecord | undefined;
  const deps = {
    accounts: {
      async createKey(key: KeyRecord) {
        made = key;
      },
      revokeKey: async (_: string, id: string) => (id === made?.id ? made : undefined),
    },
    ...{ peppers: async () => readPeppers("pepper"), plan: () => undefined, now: () => noon },
    log: (_: string, event: string, fields: LogFields = {}) => void lines.push([event, fields]),
  };
  const body = Buffer.from(JSON.stringify({ name: "new", billing_mode: "payg" }));
  const reply = await createKey({ body } as never, rights, deps as never);
  await revokeKey({ id: made?.id ?? "" }, rights, deps as never);
  await expect(revokeKey({ id: "key_other" }, rights, deps as never)).rejects.toThrow();
  const fields = { organization: "org_1", key: made?.id };
  expect(lines).toEqual([
    ["key_created", fields],
    ["key_revoked", { ...fields, organization: key.organization }],
  ]);
  const { key: secret } = JSON.parse(reply.body as string) as { key: string };
  expect(JSON.stringify(lines)).not.toContain(secret);
});
