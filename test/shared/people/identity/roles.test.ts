/** Who may make whom what: the table of roles, and that nobody gives what they have not. */
import { describe, expect, test } from "vitest";
import { mayDo, mayGive, mayManage, rightsFor } from "#shared/people/identity/roles.ts";
import { type Role, roles } from "#shared/people/identity/user.ts";

const pairs = roles.flatMap((one) => roles.map((other): [Role, Role] => [one, other]));

describe("giving a role", () => {
  test("each role gives these, and no other", () => {
    const given = Object.fromEntries(
      roles.map((giver) => [giver, roles.filter((role) => mayGive(giver, role))]),
    );
    expect(given).toEqual({
      owner: ["owner", "admin", "finance", "member"],
      admin: ["admin", "member"],
      finance: [],
      member: [],
    });
  });

  test.each(pairs)("%s to %s gives no right that the giver lacks", (giver, role) => {
    if (!mayGive(giver, role)) return;
    for (const right of rightsFor(role)) expect([right, mayDo(giver, right)]).toEqual([right, true]);
  });

  test("however many hands a role passes through, it reaches no right that the first one lacks", () => {
    for (const first of roles) {
      const reached = new Set<Role>([first]);
      for (const role of reached) for (const next of roles) if (mayGive(role, next)) reached.add(next);
      for (const role of reached)
        for (const right of rightsFor(role))
          expect([first, right, mayDo(first, right)]).toEqual([first, right, true]);
    }
  });
});

test("each role touches these, and no other", () => {
  const touched = Object.fromEntries(roles.map((one) => [one, roles.filter((role) => mayManage(one, role))]));
  expect(touched).toEqual({
    owner: ["owner", "admin", "finance", "member"],
    admin: ["admin", "finance", "member"],
    finance: [],
    member: [],
  });
});
