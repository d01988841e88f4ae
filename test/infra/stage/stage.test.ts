/** The stages by their names. */
import { expect, it } from "vitest";
import { whyNotReserved } from "#infra/stage/concurrency.ts";
import { type StageSettings, stageNamed, withProtection, withRollback } from "#infra/stage/stage.ts";

const prod = stageNamed("prod");

it("takes only names that a stack can carry", () => {
  expect(stageNamed("eu-1").deletionProtection).toBe(true);
  expect(() => stageNamed("Prod!")).toThrow(RangeError);
});

it("has what its settings say, and its name as a tag", () => {
  const settings = { front: "both", gatewayConcurrency: 900, taskLifetimeSeconds: 60 } as const;
  const tags = { team: "models" };
  for (const name of ["dev", "prod"]) {
    const stage = stageNamed(name, { ...settings, alarmEmail: "ops@example.com", tags });
    expect(stage).toMatchObject({ ...settings, alarmEmail: "ops@example.com" });
    expect(stage.tags).toEqual({ team: "models", stage: name });
  }
});

it("has the memory for the gateway that its settings say, and the usual one without it", () => {
  for (const name of ["dev", "prod"]) {
    expect(stageNamed(name).gateway.memoryMb).toBe(512);
    expect(stageNamed(name, { gatewayMemoryMb: 256 }).gateway).toEqual({
      memoryMb: 256,
      timeoutSeconds: 900,
    });
  }
});

it("reserves 50 requests at a time for its console, unless its calls have their own or it shares them", () => {
  const reserved = (name: string, settings: StageSettings) => stageNamed(name, settings).console.concurrency;
  expect(reserved("prod", {})).toBe(50);
  expect(reserved("dev", {})).toBe(undefined);
  expect(reserved("prod", { gatewayConcurrency: 900 })).toBe(undefined);
  expect(reserved("prod", { console: { concurrency: "shared" } })).toBe(undefined);
  expect(reserved("prod", { console: { enabled: false } })).toBe(undefined);
  for (const name of ["dev", "prod"])
    expect(reserved(name, { gatewayConcurrency: 100, console: { concurrency: 20 } })).toBe(20);
});

it.each([
  [50, 10, true],
  [50, 149, true],
  [50, 150, false],
  [50, 1_000, false],
])("says before a deployment whether %i can be reserved of %i", (reserved, ofAccount, isRefused) => {
  const why = whyNotReserved(reserved, ofAccount);
  expect(why !== undefined).toBe(isRefused);
  if (isRefused) expect(why).toContain('"concurrency": "shared"');
});

it("is protected, unless it is told not to be", () => {
  const dev = stageNamed("dev");
  const protection = (stage: typeof prod, text: string) => withProtection(stage, text).deletionProtection;
  expect([protection(prod, "on"), protection(prod, "off")]).toEqual([true, false]);
  expect([protection(dev, "on"), protection(dev, "off")]).toEqual([false, false]);
  expect(() => protection(prod, "no")).toThrow(RangeError);
});

it("tries new versions, unless it is told not to", () => {
  const [tried, atOnce] = ["on", "off"].map((text) => withRollback(prod, text));
  expect(tried).toBe(prod);
  expect(atOnce).toMatchObject({
    rollback: false,
    deployment: stageNamed("dev").deployment,
    deletionProtection: true,
  });
  expect(() => withRollback(prod, "no")).toThrow(RangeError);
});
