/** The operator's restore: what it asks of AWS in which order, what it refuses, and what it tells of what is lost. */
import { describe, expect, it } from "vitest";
import { reportOf, shownReport } from "#infra/operator/restore-report.ts";
import { planRestore, stepsOf, told } from "#infra/operator/restore-tables.ts";
import { createRestorable, sources, targetOf } from "#test/support/restorable.ts";
import { noon, openStory, restoredTables } from "#test/support/restored-story.ts";
import { runHere } from "#test/support/streams.ts";

const second = 1000;

describe("a plan", () => {
  const planAt = (at: number | undefined, stage = createRestorable(() => noon)) =>
    planRestore({ sources, at, nameOf: targetOf }, stage.control);

  it("is for a whole second that all five tables can be restored to", async () => {
    const stage = createRestorable(() => noon);
    stage.window = { earliest: noon - 5000.5, latest: noon - 300 };
    const plan = await planAt(undefined, stage);
    expect(told(plan.instant)).toBe("2026-11-21T12:29:59Z");
    expect(told(plan.window.earliest)).toBe("2026-11-21T12:29:55Z");
    expect((await planAt(noon - 2000.7, stage)).instant).toBe(noon - 3000);
    expect(stage.asked).toEqual([]);
  });

  it.each([
    ["before", noon - 10 * second],
    ["after", noon + second],
  ])("is refused %s that time, with its bounds", async (_, at) => {
    const stage = createRestorable(() => noon);
    stage.window = { earliest: noon - 5000, latest: noon };
    await expect(planAt(at, stage)).rejects.toThrow(
      `${told(at)} is outside of what the five tables can be restored to: 2026-11-21T12:29:55Z to 2026-11-21T12:30:00Z`,
    );
  });

  it("is refused without point-in-time recovery, and onto a table that comes from elsewhere", async () => {
    const stage = createRestorable(() => noon);
    const ledger = stage.tables.get("ledger");
    if (ledger) ledger.recovery = false;
    await expect(planAt(noon, stage)).rejects.toThrow("the table ledger cannot be restored");
    const other = createRestorable(() => noon);
    const tags = { recovery: true, expiry: true, isProtected: true, tags: [] };
    other.tables.set(targetOf("tasks"), { status: "ACTIVE", looks: 0, ...tags });
    await expect(planAt(noon, other)).rejects.toThrow("does not come from tasks: give another --suffix");
    const RestoreDateTime = new Date(noon - 1000);
    const summary = { SourceTableArn: "arn:aws:dynamodb:::table/tasks", RestoreDateTime };
    other.tables.set(targetOf("tasks"), { status: "ACTIVE", looks: 0, ...tags, summary });
    await expect(planAt(noon, other)).rejects.toThrow(
      "restored to 2026-11-21T12:29:59Z: give --at 2026-11-21T12:29:59Z to go on with it, or another --suffix",
    );
  });
});

describe("a restore", () => {
  it("makes five tables, waits for them, and gives each what AWS does not restore", async () => {
    const story = await openStory();
    story.stage.mark();
    story.stage.early = 1;
    const { states } = await story.restore(noon);
    const made = ["keys", "counters", "ledger", "tasks", "accounts"].map((table) => [
      ...["RestoreTableToPointInTime", targetOf(table), [table, "2026-11-21T12:30:00Z"]],
    ]);
    const tags = { Tags: [{ Key: "team", Value: "models" }] };
    const recovery = {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
    };
    const expiry = { TimeToLiveSpecification: { AttributeName: "expires_at", Enabled: true } };
    const settings = (table: string, expires: boolean, tries = 1) => [
      ...Array.from({ length: tries }, () => ["UpdateContinuousBackups", targetOf(table), recovery]),
      ...(expires ? [["UpdateTimeToLive", targetOf(table), expiry]] : []),
      ["TagResource", targetOf(table), tags],
      ["UpdateTable", targetOf(table), { DeletionProtectionEnabled: true }],
    ];
    expect(story.stage.asked).toEqual([
      ...made,
      ...settings("keys", false, 2),
      ...settings("counters", true),
      ...settings("ledger", false),
      ...settings("tasks", true),
      ...settings("accounts", true),
    ]);
    expect(states[0]).toBe(
      "restoring for 0 min: keys CREATING, counters CREATING, ledger CREATING, tasks CREATING, accounts CREATING",
    );
  });

  it("goes on where it stopped: what is restored is not restored again", async () => {
    const story = await openStory();
    story.stage.mark();
    await story.restore(noon);
    const first = story.stage.asked.length;
    await story.restore(noon);
    const again = story.stage.asked.slice(first).map(([action]) => action);
    expect(new Set(again)).toEqual(new Set(["UpdateContinuousBackups", "TagResource"]));
  });

  it("tells in a dry run what it would ask, and asks nothing", async () => {
    const stage = createRestorable(() => noon);
    const plan = await planRestore({ sources, at: noon, nameOf: targetOf }, stage.control);
    const steps = stepsOf(plan);
    expect(steps[0]).toBe("RestoreTableToPointInTime keys to stage-keys-new at 2026-11-21T12:30:00Z");
    expect(steps.filter((step) => step.startsWith("UpdateTimeToLive "))).toHaveLength(3);
    expect(stage.asked).toEqual([]);
  });
});

/** A stage where things happened after the instant, and what a restore tells of them. */
async function happened() {
  const story = await openStory();
  const acme = await story.open("Acme", { points: "100" });
  const other = await story.open("Other", { points: "1" });
  const [key, stolen] = [await story.keyOf(acme), await story.keyOf(acme, { last_four: "WXYZ" })];
  story.step();
  story.stage.mark();
  const instant = story.now();
  story.step();
  await story.stores.accounts.revokeKey(acme.id, stolen.id, story.now());
  await story.stores.accounts.setStatus(other.id, "frozen");
  await story.stores.accounts.setPermissions(acme.id, ["AVG_V2"]);
  await story.credit(acme, "25", "order-7");
  await story.credit(acme, "-5", "refund-7");
  const made = await story.keyOf(acme, { name: "new" });
  story.step();
  const late = await story.open("Late", { points: "7" });
  const charged = story.call(acme, made, "0.5");
  const ofLate = story.call(late, await story.keyOf(late), "0.25");
  for (const call of [charged, ofLate]) {
    await call.admit();
    await call.settle();
    await call.record();
  }
  const at = new Date(story.now()).toISOString();
  const line = { level: "info", at, organization: acme.id, key: key.id } as const;
  story.logged.push(
    { ...line, event: "call", request: "req_01M7Z1BFA0WZDB5ECTSS7XJFCW", model: "m", cost_points: "0.125" },
    { ...line, event: "call", request: charged.event.id, model: "m", cost_points: "0.5" },
    { ...line, event: "key_created", key: "key_01M7Z1BFA0WZDB5ECTSS7XJFCW" },
    { ...line, event: "key_created", key: made.id },
  );
  return { story, instant, acme, other, late, key, stolen, made, charged, ofLate };
}

describe("what is lost", () => {
  it("is told with what to do, and a key that is valid again fails the command", async () => {
    const { story, instant, acme, other, late, stolen, made, charged, ofLate } = await happened();
    story.stage.pepperChangedAt = instant + 1;
    const restored = await story.restore(instant);
    const report = reportOf(restored, undefined);
    expect(report.ok).toBe(false);
    expect(report.tables).toEqual(restoredTables);
    expect(report.keys_valid_again).toEqual([
      { key: stolen.id, organization: acme.id, name: "test", last_four: "WXYZ" },
    ]);
    expect(report.organizations_active_again).toEqual([{ organization: other.id, name: "Other" }]);
    expect(report.lost).toMatchObject({
      ...{ calls_in_ledger: 2, calls_in_dead_letters: 0, points_of_these: "0.75" },
      ...{ calls_in_log_alone: 1, points_in_log_alone: "0.125" },
      keys_in_log_alone: ["key_01M7Z1BFA0WZDB5ECTSS7XJFCW"],
      organizations: [{ organization: late.id, name: "Late" }],
      changes: [{ organization: acme.id, field: "permissions", restored: [], lost: ["AVG_V2"] }],
    });
    expect(report.lost.keys.map(({ key }) => key)).toEqual([made.id, ofLate.event.key].sort());
    expect(report.lost.credits.map(({ reference, points }) => [reference, points])).toEqual([
      ["order-7", "25"],
      ["refund-7", "-5"],
      ["opening", "7"],
    ]);
    expect(report.calls.map(({ request, known_from }) => [request, known_from])).toEqual(
      [
        ...[charged, ofLate].map(({ event }) => [event.id, "ledger"]).sort(),
        ["req_01M7Z1BFA0WZDB5ECTSS7XJFCW", "log"],
      ].sort(),
    );
    expect(report.next.join("\n")).toContain(
      `DANGER: keys that were revoked after ${told(instant)} are valid again (1)`,
    );
    expect(report.next.join("\n")).toContain("the pepper was changed after the instant");
    expect(report.next.join("\n")).toContain(
      `org credit ${acme.id} --kind adjustment --points -0.125 --reference req_01M7Z1BFA0WZDB5ECTSS7XJFCW`,
    );
    expect(JSON.stringify(shownReport(report))).toContain('"failing":[]');
  });

  it("is done again where that is asked for, once, and the audit holds", async () => {
    const { story, instant, stolen, made, charged, ofLate, other, acme, late } = await happened();
    const all = ["revocations", "keys", "credits", "calls"] as const;
    const { redone, ...restored } = await story.restore(instant, [...all]);
    expect(redone).toEqual({
      ...{ keys: 1, credits: 2, revoked: 1, frozen: 1, failed: [] },
      ...{ frozen_users: 0, members: 0, orders: 0 },
      calls: { known: 0, entered: 0, booked: 1, task: 0, no_meter: 1 },
    });
    const report = reportOf(restored as typeof restored & { redone: typeof redone }, "stages/prod.json");
    expect([report.keys_valid_again, report.organizations_active_again]).toEqual([[], []]);
    expect(report.ok).toBe(true);
    // What belongs to an organization that did not exist at the instant cannot be done again.
    expect(report.calls.map(({ request }) => request)).toContain(ofLate.event.id);
    expect(report.calls.map(({ request }) => request)).not.toContain(charged.event.id);
    const { accounts, meters } = story.restored;
    expect((await accounts.findPrincipal(stolen.hash))?.key.status).toBe("revoked");
    expect((await accounts.findPrincipal(made.hash))?.key).toEqual(made);
    expect((await accounts.organization(other.id))?.status).toBe("frozen");
    expect(await accounts.organization(late.id)).toBeUndefined();
    expect(await meters.balance(acme.wallet?.meter ?? "")).toBe(119_500_000_000_000_000_000n);
    const again = await story.restore(instant, [...all]);
    expect(again.redone?.calls).toMatchObject({ booked: 0 });
    expect(await meters.balance(acme.wallet?.meter ?? "")).toBe(119_500_000_000_000_000_000n);
  });

  it("has no answer of a cache in it: each cache has an epoch that it never had", async () => {
    const story = await openStory();
    const acme = await story.open("Acme", { points: "1" });
    await story.stores.accounts.emptyCache(acme.id);
    story.stage.mark();
    const instant = story.now();
    for (let times = 0; times < 5; times++) await story.stores.accounts.emptyCache(acme.id);
    const had = (await story.stores.accounts.organization(acme.id))?.cache_epoch ?? 0;
    expect((await story.restore(instant)).caches).toBe(1);
    const first = (await story.restored.accounts.organization(acme.id))?.cache_epoch ?? 0;
    expect(first).toBeGreaterThan(had);
    await story.restored.accounts.emptyCache(acme.id);
    await story.restore(instant);
    expect((await story.restored.accounts.organization(acme.id))?.cache_epoch).toBeGreaterThan(first + 1);
  });
});

it("is refused on a local gateway, whose tables have no backups", async () => {
  const { code, error } = await runHere(["restore", "--at", "latest", "--local"]);
  expect([code, error]).toEqual([2, "restore works on a deployed stage, and not with --local\n"]);
});

it("takes an instant or latest, and what to do again by its names", async () => {
  const refusal = async (...words: string[]) => (await runHere(["restore", ...words])).error.trim();
  expect(await refusal("--at", "yesterday")).toBe("--at takes an instant such as 2026-11-21T00:00:00Z");
  expect(await refusal("--at", "latest", "--redo", "calls,money")).toBe(
    "--redo must be one of revocations, keys, credits, orders, calls",
  );
});
