/** What `npm run deploy` reads of its arguments, and what it leaves to `cdk`. */
import { describe, expect, it } from "vitest";
import { cdkArguments, settingsOf } from "#infra/deploy/deploy-arguments.ts";

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
    ["a folder of files", ["-c", "stages=/etc/stages"], { stages: "/etc/stages" }],
    ["a confirmation", ["--confirm-prices", "0123456789ab"], { confirmed: "0123456789ab" }],
    [
      "a confirmation with =",
      ["--confirm-prices=0123456789ab", "-c", "stage=dev"],
      { stage: "dev", confirmed: "0123456789ab" },
    ],
    ["a confirmation without a hash", ["--confirm-prices"], {}],
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

describe("cdk", () => {
  it.each([
    [["-c", "stage=dev", "--confirm-prices", "0123456789ab", "--verbose"]],
    [["-c", "stage=dev", "--confirm-prices=0123456789ab", "--verbose"]],
  ])("gets all but the confirmation: %j", (args) => {
    expect(cdkArguments(args)).toEqual(["-c", "stage=dev", "--verbose"]);
  });
});
