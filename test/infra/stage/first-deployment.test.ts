/** What `npm run deploy` takes for a stage's first deployment. */
import { describe, expect, it } from "vitest";
import { changesTables, isCreated, isLost } from "#infra/stage/first-deployment.ts";

/** AWS's states of a stack. */
const states = {
  created: [
    ...[
      "CREATE_COMPLETE",
      "UPDATE_IN_PROGRESS",
      "UPDATE_COMPLETE",
      "UPDATE_FAILED",
      "UPDATE_ROLLBACK_COMPLETE",
    ],
    ...["UPDATE_ROLLBACK_FAILED", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "IMPORT_COMPLETE"],
    "IMPORT_ROLLBACK_COMPLETE",
  ],
  lost: ["ROLLBACK_COMPLETE", "ROLLBACK_FAILED"],
  neither: [
    ...["REVIEW_IN_PROGRESS", "CREATE_IN_PROGRESS", "CREATE_FAILED", "ROLLBACK_IN_PROGRESS"],
    ...["DELETE_IN_PROGRESS", "DELETE_FAILED", "DELETE_COMPLETE", undefined],
  ],
} as const;

describe("a stack", () => {
  it.each(states.created)("in %s is there, and stays protected", (StackStatus) => {
    expect([isCreated({ StackStatus }), isLost({ StackStatus })]).toEqual([true, false]);
  });

  it.each(states.lost)("in %s can only be deleted", (StackStatus) => {
    expect([isCreated({ StackStatus }), isLost({ StackStatus })]).toEqual([false, true]);
  });

  it.each(states.neither)("in %s is not there yet", (StackStatus) => {
    const stack = StackStatus && { StackStatus };
    expect([isCreated(stack), isLost(stack)]).toEqual([false, false]);
  });
});

describe("a stage changes its tables", () => {
  const tables = { keys: "k", counters: "c", ledger: "l", tasks: "t" };
  const stackWith = (OutputValue: string) => ({ Outputs: [{ OutputKey: "LedgerTableName", OutputValue }] });
  const both = (ledger: string, accounts: string) => ({
    Outputs: [...stackWith(ledger).Outputs, { OutputKey: "AccountsTableName", OutputValue: accounts }],
  });
  it.each([
    ["if its file names others than it has", stackWith("before"), tables, true],
    ["not if it has them", stackWith("l"), tables, false],
    ["if its file names another one for accounts", both("l", "before"), { ...tables, accounts: "a" }, true],
    ["not if it has that one", both("l", "a"), { ...tables, accounts: "a" }, false],
    ["not if its file names none for accounts", both("l", "before"), tables, false],
    ["not if its file names none", stackWith("before"), undefined, false],
    ["not if there is no stack yet", undefined, tables, false],
  ])("%s", (_, stack, named, changes) => {
    expect(changesTables(stack, named)).toBe(changes);
  });
});
