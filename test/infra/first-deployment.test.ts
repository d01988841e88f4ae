/** What `npm run deploy` takes for a stage's first deployment. */
import { describe, expect, it } from "vitest";
import { changesTables, isCreated, isLost, settingsOf } from "#infra/first-deployment.ts";

describe("the settings of a deployment", () => {
  it.each([
    ["nothing", [], {}],
    ["-c", ["-c", "stage=eu-1"], { stage: "eu-1" }],
    ["-c without a space", ["-cstage=eu-1"], { stage: "eu-1" }],
    ["--context", ["--context", "stage=eu-1"], { stage: "eu-1" }],
    ["--context=", ["--context=stage=eu-1"], { stage: "eu-1" }],
    ["the last of a name", ["-c", "stage=eu-1", "-c", "stage=dev"], { stage: "dev" }],
    ["others too", ["-c", "alarmEmail=a=b@example.com", "-c", "protection=off"], { protection: "off" }],
    [
      "a profile",
      ["--profile", "ops", "--require-approval", "never", "-c", "stage=eu-1"],
      { stage: "eu-1", profile: "ops" },
    ],
    ["a text without a value", ["-c", "stage"], {}],
  ])("are read from the arguments: %s", (_what, args, settings) => {
    expect(settingsOf(args, {})).toEqual(settings);
  });

  it("are those of cdk.json where the arguments say nothing", () => {
    const context = { stage: "eu-1", "@aws-cdk/core:flag": true };
    expect(settingsOf(["--verbose"], context)).toEqual({ stage: "eu-1" });
    expect(settingsOf(["-c", "stage=dev"], context)).toEqual({ stage: "dev" });
  });
});

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
  it.each([
    ["if its file names others than it has", stackWith("before"), tables, true],
    ["not if it has them", stackWith("l"), tables, false],
    ["not if its file names none", stackWith("before"), undefined, false],
    ["not if there is no stack yet", undefined, tables, false],
  ])("%s", (_, stack, named, changes) => {
    expect(changesTables(stack, named)).toBe(changes);
  });
});
