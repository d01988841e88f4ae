/** Ids of a provider that the operator gives: marked for one organization and project, or refused. */
import { describe, expect, test } from "vitest";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import { accountOf } from "#shared/calls/exchange/account.ts";
import { unmarked } from "#shared/calls/exchange/own-ids.ts";
import { type GivenId, giveId } from "#shared/edges/operator/given-ids.ts";

const peppers = readPeppers("test pepper");
const owner = { organization: "org_1", project: "" };
const auth = "bearer" as const;
const providers = {
  one: { protocols: {}, auth, secret: "ONE_KEY" },
  many: { protocols: {}, auth, secret: "FIRST", secrets: ["FIRST", "SECOND"] },
};
const give = (change: Partial<GivenId> = {}) =>
  giveId({ id: "vs_1", provider: "one", ...change }, owner, { providers, peppers });

describe("an id that is given", () => {
  test.each([
    ["its only account", {}, { provider: "one", secret: "ONE_KEY" }],
    ["the first of several", { provider: "many" }, { provider: "many", secret: "FIRST" }],
    ["the one that is named", { provider: "many", secret: "SECOND" }, { provider: "many", secret: "SECOND" }],
  ])("belongs to its owner alone, and to %s", (_, change, account) => {
    const text = give(change);
    expect(unmarked(text, owner, peppers)).toEqual({ id: "vs_1", account: accountOf(account) });
    expect(unmarked(text, { ...owner, organization: "org_2" }, peppers)).toBeUndefined();
    expect(unmarked(text, { ...owner, project: "p" }, peppers)).toBeUndefined();
  });

  test.each([
    ["of an unknown provider", { provider: "none" }, "There is no provider none; there are many, one."],
    ["of a provider that is none of its own", { provider: "constructor" }, "no provider constructor"],
    ["of an unknown account", { provider: "many", secret: "ONE_KEY" }, "it has FIRST, SECOND."],
    ["that is empty", { id: "" }, "1 to 256 visible ASCII characters"],
    ["with a space", { id: "vs 1" }, "1 to 256 visible ASCII characters"],
    ["that is too long", { id: "v".repeat(257) }, "1 to 256 visible ASCII characters"],
    ["that has a mark", { id: give() }, "has a mark already"],
  ])("%s is refused", (_, change, message) => {
    expect(() => give(change)).toThrow(message);
  });
});
