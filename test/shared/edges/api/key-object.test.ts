/** A key as the interface shows it. */
import { expect, test } from "vitest";
import type { KeyRecord } from "#shared/books/accounts/account.ts";
import { keyObject } from "#shared/edges/api/keys.ts";

test("members of limits and defaults stand in one order, whatever order the store gives", () => {
  const key = {
    limits: { budget_points: "20", budget_period: "month" },
    defaults: { on_disconnect: "abort", allow_drop: ["tools"] },
    ...{
      id: "key_1",
      name: "n",
      mode: "payg",
      project: "",
      permissions: [],
      status: "active",
      last_four: "abcd",
    },
    ...{ created_at: 0, expires_at: null },
  } as unknown as KeyRecord;
  const { limits, defaults } = keyObject(key, 0) as Record<"limits" | "defaults", object>;
  expect(Object.keys(limits)).toEqual(["budget_period", "budget_points"]);
  expect(Object.keys(defaults)).toEqual(["allow_drop", "on_disconnect"]);
});
