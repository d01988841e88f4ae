/** Organizations and keys on the embedded DynamoDB, and how a freeze or a revocation reaches the next admission. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import type { BillingMode, KeyRecord, Organization } from "#shared/books/accounts/account.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { type Hold, ticketOf } from "#shared/books/meters/hold.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { meterKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { getItem } from "#shared/edges/store/dynamodb/items.ts";
import {
  admit,
  looking,
  noon,
  planHold,
  planLimits,
  repeating,
  settlement,
  walletHold,
} from "#test/support/store.ts";
import { useStores } from "#test/support/stores.ts";

const { db, accounts, ledger, meters } = useStores();

/** An organization with a wallet of 10 points and a subscription. */
async function newOrganization(): Promise<Organization> {
  const [wallet, plan] = [newId("meter", noon), newId("meter", noon)];
  const organization: Organization = {
    id: newId("organization", noon),
    name: "Acme",
    status: "active",
    subscription: { meter: plan, plan: "lite", period: "monthly", started_at: noon, ends_at: null },
    wallet: { meter: wallet, shards: 1 },
    permissions: [],
    created_at: noon,
  };
  await meters.open(wallet, 0, "payg");
  await meters.open(plan, 0, "subscription");
  await accounts.createOrganization(organization);
  const credit = { organization: organization.id, meter: wallet, reference: "opening", at: noon };
  await ledger.credit({ ...credit, points: parsePoints("10") });
  return organization;
}

async function newKey(
  organization: Organization,
  mode: BillingMode,
  at = noon,
  store = accounts,
): Promise<KeyRecord> {
  const id = newId("key", at);
  const key: KeyRecord = {
    id,
    hash: `hash of ${id}`,
    organization: organization.id,
    project: "",
    name: "test",
    mode,
    permissions: ["manage_keys"],
    limits: mode === "payg" ? null : { rpm: 2 },
    status: "active",
    last_four: "abcd",
    created_at: at,
    expires_at: null,
  };
  await store.createKey(key);
  return key;
}

function holdOf({ wallet, subscription }: Organization, key: KeyRecord, at = noon): Hold {
  return key.mode === "payg"
    ? walletHold(wallet?.meter ?? "", "1", at, key.id)
    : planHold(subscription?.meter ?? "", planLimits(), 10, at, key.id);
}

describe("organizations", () => {
  test("are found by id and listed", async () => {
    const organization = await newOrganization();
    await newKey(organization, "payg");
    expect(await accounts.organization(organization.id)).toEqual(organization);
    expect(await accounts.organization("org_none")).toBeUndefined();
    const all = await Array.fromAsync(accounts.organizations());
    expect(all.filter(({ id }) => id === organization.id)).toEqual([organization]);
    expect(all.every(({ id }) => id.startsWith("org_"))).toBe(true);
  });

  test("hold the permissions they are given", async () => {
    const organization = await newOrganization();
    expect(await accounts.setPermissions(organization.id, ["AVG_V2"])).toEqual({
      ...organization,
      permissions: ["AVG_V2"],
    });
    expect(await accounts.setPermissions("org_none", ["AVG_V2"])).toBeUndefined();
    expect(await accounts.organization("org_none")).toBeUndefined();
  });

  test("that are frozen are refused by the next admission of either mode, and unfrozen admitted again", async () => {
    const organization = await newOrganization();
    const keys = await Promise.all(
      (["payg", "subscription"] as const).map((mode) => newKey(organization, mode)),
    );
    const running = keys.map((key) => holdOf(organization, key));
    for (const hold of running) expect(await meters.admit(hold)).toMatchObject({ admitted: true });
    expect(await accounts.setStatus(organization.id, "frozen")).toMatchObject({ status: "frozen" });
    for (const key of keys) {
      expect(await meters.admit(holdOf(organization, key))).toMatchObject({ error: "account_frozen" });
      expect((await accounts.findPrincipal(key.hash))?.organization.status).toBe("frozen");
    }
    // Calls that were admitted before end as any other.
    for (const hold of running) expect(await meters.settle(ticketOf(hold), settlement())).toBe(true);
    await accounts.setStatus(organization.id, "active");
    for (const key of keys)
      expect(await meters.admit(holdOf(organization, key))).toMatchObject({ admitted: true });
    expect(await accounts.setStatus("org_none", "frozen")).toBeUndefined();
  });
});

describe("keys", () => {
  test("are made once when the first answer was lost", async () => {
    const organization = await newOrganization();
    const key = await newKey(organization, "payg", noon, createAccounts(repeating(db.aws), db.tables));
    expect((await accounts.keys(organization.id, { limit: 9 })).keys).toEqual([key]);
  });

  test("are found by hash with their organization", async () => {
    const organization = await newOrganization();
    const key = await newKey(organization, "subscription");
    expect(await accounts.findPrincipal(key.hash)).toEqual({ key, organization });
    expect(await accounts.findPrincipal("another")).toBeUndefined();
  });

  test("are listed in order of creation, page by page, and only to their organization", async () => {
    const [organization, other] = [await newOrganization(), await newOrganization()];
    await newKey(other, "payg");
    const keys: KeyRecord[] = [];
    for (const offset of [3, 1, 4, 0, 2]) keys.push(await newKey(organization, "payg", noon + offset));
    keys.sort((a, b) => a.created_at - b.created_at);
    const pages: KeyRecord[][] = [];
    for (let after: string | undefined, more = true; more; ) {
      const page = await accounts.keys(organization.id, { limit: 2, ...(after && { after }) });
      pages.push(page.keys);
      after = page.keys.at(-1)?.id;
      more = page.more;
    }
    expect(pages).toEqual([keys.slice(0, 2), keys.slice(2, 4), keys.slice(4)]);
    const all = await accounts.keys(organization.id, { limit: 5 });
    expect(all).toEqual({ keys, more: false });
    await expect(accounts.keys(organization.id, { limit: 5, after: "x".repeat(5000) })).rejects.toMatchObject(
      {
        key: "invalid_request",
      },
    );
  });

  test.each(["payg", "subscription"] as const)(
    "of %s that are revoked are refused at once, others not",
    async (mode) => {
      const organization = await newOrganization();
      const [key, other] = [await newKey(organization, mode), await newKey(organization, mode)];
      expect(await accounts.revokeKey(organization.id, key.id, noon)).toEqual({ ...key, status: "revoked" });
      expect(await meters.admit(holdOf(organization, key))).toMatchObject({ error: "invalid_key" });
      expect(await meters.admit(holdOf(organization, other))).toMatchObject({ admitted: true });
      expect((await accounts.findPrincipal(key.hash))?.key.status).toBe("revoked");
      expect(
        (await accounts.keys(organization.id, { limit: 9 })).keys.map(({ status }) => status).sort(),
      ).toEqual(["active", "revoked"]);
      expect(await accounts.revokeKey(organization.id, key.id, noon)).toBeUndefined();
    },
  );

  test("of others, or of nobody, cannot be revoked", async () => {
    const [organization, other] = [await newOrganization(), await newOrganization()];
    const key = await newKey(other, "payg");
    for (const id of [key.id, newId("key", noon), "", "key_", "x".repeat(5000)]) {
      expect(await accounts.revokeKey(organization.id, id, noon)).toBeUndefined();
    }
    expect((await accounts.findPrincipal(key.hash))?.key.status).toBe("active");
  });

  test("leave their mark on the meter until every cached record has expired", async () => {
    const organization = await newOrganization();
    const [key, other] = [await newKey(organization, "payg"), await newKey(organization, "payg")];
    await accounts.revokeKey(organization.id, key.id, noon);
    const marks = async () => {
      const item = await getItem(db.aws, db.tables.counters, meterKey(organization.wallet?.meter ?? "", 0));
      return Object.keys(item ?? {}).filter((name) => name.startsWith("x"));
    };
    for (const [minutes, left] of [
      [55, 1],
      [61, 0],
    ] as const) {
      const hold = looking(holdOf(organization, other, noon + minutes * 60_000));
      await meters.settle(await admit(meters, hold), settlement({ at: hold.at + 1000 }));
      expect(await marks()).toHaveLength(left);
    }
  });
});
