/** The rules of a caller, kept beside the records that a process has read. */
import { expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import { rulesOf } from "#shared/books/accounts/policy-in-force.ts";
import { PrincipalCache } from "#shared/calls/access/authenticate.ts";
import { videoCaller } from "#test/support/video.ts";

const plain = videoCaller({ wallet: "mtr_1" });
const withModels = (model: string): Principal => ({
  ...plain,
  organization: {
    ...plain.organization,
    policies: [{ level: "organization", id: "", policy: { models: [model] } }],
  },
});
const modelsOf = (principal: Principal | undefined) =>
  principal && rulesOf(principal).map(({ policy }) => policy.models);
const again = limits.keyCacheSeconds * 1000;

test("are compiled once for both records, and anew when one was read again", () => {
  const cache = new PrincipalCache();
  cache.set("h", withModels("a"), 0);
  const first = cache.get("h", 1);
  expect(modelsOf(first)).toEqual([["a"]]);
  expect(cache.get("h", 2)?.rules).toBe(first?.rules);
  // Another key of the organization was read, and the organization with it.
  cache.set("other", { ...withModels("b"), key: { ...plain.key, id: "key_2" } }, again - 1);
  expect(modelsOf(cache.get("h", again - 1))).toEqual([["b"]]);
  expect(cache.get("h", again)).toBeUndefined();
});

test("are none of a caller without a policy, and a policy that is gone is gone", () => {
  const cache = new PrincipalCache();
  cache.set("h", plain, 0);
  expect([cache.get("h", 1)?.rules, rulesOf(cache.get("h", 1) ?? plain)]).toEqual([undefined, []]);
  cache.set("h", withModels("a"), 2);
  expect(modelsOf(cache.get("h", 3))).toEqual([["a"]]);
  cache.set("h", plain, 4);
  expect(modelsOf(cache.get("h", 5))).toEqual([]);
});
