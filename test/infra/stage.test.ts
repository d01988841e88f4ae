/** The settings of a stage, and what they refuse. */
import { expect, it } from "vitest";
import { stageNamed, withGatewayConcurrency, withProtection, withTaskLifetime } from "#infra/stage.ts";

const prod = stageNamed("prod");

it("takes only names that a stack can carry", () => {
  expect(stageNamed("eu-1").deletionProtection).toBe(true);
  expect(() => stageNamed("Prod!")).toThrow(RangeError);
});

it("gives tasks a day or less", () => {
  const lifetimeOf = (seconds: string) => withTaskLifetime(prod, seconds).taskLifetimeSeconds;
  expect([lifetimeOf("1"), lifetimeOf("86400")]).toEqual([1, 86_400]);
  for (const seconds of ["0", "86401", "1.5", "-1", "day"])
    expect(() => lifetimeOf(seconds)).toThrow(RangeError);
});

it("caps calls at a number that answers somebody", () => {
  expect(withGatewayConcurrency(prod, "900").gatewayConcurrency).toBe(900);
  for (const calls of ["0", "1e3", "-1", "100001"])
    expect(() => withGatewayConcurrency(prod, calls)).toThrow(RangeError);
});

it("is protected, unless it is told not to be", () => {
  const dev = stageNamed("dev");
  const protection = (stage: typeof prod, text: string) => withProtection(stage, text).deletionProtection;
  expect([protection(prod, "on"), protection(prod, "off")]).toEqual([true, false]);
  expect([protection(dev, "on"), protection(dev, "off")]).toEqual([false, false]);
  expect(() => protection(prod, "no")).toThrow(RangeError);
});
