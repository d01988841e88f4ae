/** Opened keys of organizations: how long and how many a process keeps, and what becomes of a failure. */
import { expect, test, vi } from "vitest";
import { ownKeyBounds } from "#shared/books/accounts/bounds.ts";
import { createOwnKeys } from "#shared/calls/upstreams/opened-keys.ts";
import { ownKeyAt } from "#test/support/own-keys.ts";

const own = ownKeyAt("test");

test("a key is opened once for some minutes, and at once where it was replaced", async () => {
  const clock = { now: 0 };
  const unseal = vi.fn(async (organization: string, { sealed }) => `${organization} ${sealed}`);
  const keys = createOwnKeys(unseal, () => clock.now);
  await Promise.all([keys.open("org_1", own), keys.open("org_1", own)]);
  clock.now = ownKeyBounds.openedSeconds * 1000 - 1;
  await keys.open("org_1", own);
  expect(unseal).toHaveBeenCalledTimes(1);
  expect(await keys.open("org_1", { ...own, sealed: "another" })).toBe("org_1 another");
  clock.now += 1;
  await keys.open("org_1", own);
  expect(unseal).toHaveBeenCalledTimes(3);
});

test("the same envelope is opened anew for another organization, which KMS refuses", async () => {
  const keys = createOwnKeys(async (organization) => {
    if (organization !== "org_1") throw new Error("InvalidCiphertextException");
    return "key";
  }, Date.now);
  expect(await keys.open("org_1", own)).toBe("key");
  await expect(keys.open("org_2", own)).rejects.toThrow("cannot be opened");
});

test("a failure is not kept", async () => {
  const unseal = vi.fn().mockRejectedValueOnce(new Error("down")).mockResolvedValueOnce("key");
  const keys = createOwnKeys(unseal, Date.now);
  await expect(keys.open("org_1", own)).rejects.toThrow("cannot be opened: Error: down");
  expect(await keys.open("org_1", own)).toBe("key");
});

test("no more keys are kept than the bound says", async () => {
  const unseal = vi.fn(async () => "key");
  const keys = createOwnKeys(unseal, Date.now);
  for (let at = 0; at <= ownKeyBounds.openedMax; at++) await keys.open(`org_${at}`, own);
  await keys.open("org_0", own);
  await keys.open(`org_${ownKeyBounds.openedMax}`, own);
  expect(unseal).toHaveBeenCalledTimes(ownKeyBounds.openedMax + 2);
});
