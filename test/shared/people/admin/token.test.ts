/** Tokens of the operators' API: their form, what opens them, and that nothing else does. */
import { expect, test } from "vitest";
import { hasKeyForm, newApiKey } from "#shared/base/platform/api-key.ts";
import { newId } from "#shared/base/platform/id.ts";
import { dayMs } from "#shared/books/billing/period.ts";
import { hasScope, isInForce, newAdminToken, opens, readAdminToken } from "#shared/people/admin/token.ts";
import { newDirectoryToken, readDirectoryToken } from "#shared/people/scim/token.ts";

const at = Date.parse("2026-12-01T00:00:00Z");
const wanted = {
  ...{ name: "Ann", person: "ann@example.com", days: 2, by: "operator" },
  scopes: ["support"] as const satisfies string[],
};
const made = () => newAdminToken({ ...wanted, scopes: [...wanted.scopes] }, at);

test("a token's text opens it for its days, and its hash does not", () => {
  const { token, text } = made();
  expect(readAdminToken(text)).toBe(token.id);
  expect(opens(token, text, at)).toBe(true);
  expect(opens(token, text, at + 2 * dayMs - 1)).toBe(true);
  expect(opens(token, text, at + 2 * dayMs)).toBe(false);
  expect(opens(token, token.hash, at)).toBe(false);
  expect(JSON.stringify(token)).not.toContain(text.slice(-43));
});

test("the text of one token opens no other", () => {
  const [one, other] = [made(), made()];
  const mixed = one.text.slice(0, -43) + other.text.slice(-43);
  expect(readAdminToken(mixed)).toBe(one.token.id);
  expect(opens(one.token, mixed, at)).toBe(false);
  expect(opens(one.token, other.text, at)).toBe(false);
});

test("a revoked one is not in force", () => {
  const { token, text } = made();
  const revoked = { ...token, revoked_at: at, revoked_by: "operator" };
  expect([isInForce(revoked, at), opens(revoked, text, at)]).toEqual([false, false]);
});

test("every token may read, and beyond that what its scopes say", () => {
  const { token } = made();
  expect(["read", "support", "finance", "ops"].map((scope) => hasScope(token, scope as "read"))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("no other credential has its form, and it has the form of no other", () => {
  const { text } = made();
  const scim = newDirectoryToken(newId("organization", at), at).text;
  for (const other of [
    newApiKey("payg").secret,
    newApiKey("subscription").secret,
    "sk_live_x",
    scim,
    "eyJ.eyJ.x",
    "",
  ])
    expect(readAdminToken(other)).toBeUndefined();
  for (const near of [`${text}x`, text.slice(0, -1), ` ${text}`, text.toLowerCase(), text.replace("_", "-")])
    expect([near, readAdminToken(near)]).toEqual([near, undefined]);
  expect(hasKeyForm(text)).toBe(false);
  expect(readDirectoryToken(text)).toBeUndefined();
  // A session's token has three parts.
  expect(text).not.toContain(".");
});
