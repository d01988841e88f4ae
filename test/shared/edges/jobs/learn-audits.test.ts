/** What the learner makes of audits: evidence, answers that go, and contexts that are switched off. */
import { describe, expect, test } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { bounds } from "#shared/calls/cache/semantic/bounds.ts";
import { noEvidence } from "#shared/calls/cache/semantic/evidence.ts";
import { auditLesson, keepEntry, useLearning } from "#test/support/learning.ts";
import { noon } from "#test/support/store.ts";

const learning = useLearning();

describe("an audit", () => {
  test("that agrees counts once, however often it comes, and removes nothing", async () => {
    const lesson = auditLesson();
    const entry = await keepEntry(learning, lesson);
    expect(await learning.learn([lesson, lesson])).toEqual([]);
    expect(await learning.learn([lesson])).toEqual([]);
    expect(learning.evidence()).toMatchObject({ agreed: 1, refuted: 0 });
    expect(await entry()).toMatchObject({ origin: lesson.entry.origin });
    expect(JSON.stringify(learning.asked[0])).toContain("Eleven kilometres.");
  });

  test.each(["different", "the same, I think", ""])(
    "to which the verifier says %j removes the entry, and the context is off for a day",
    async (said) => {
      learning.verdict = said;
      const lesson = auditLesson();
      const [entry, other] = [await keepEntry(learning, lesson), await keepEntry(learning, auditLesson())];
      expect(await learning.learn([lesson])).toEqual([]);
      expect(await entry()).toBeUndefined();
      expect(await other()).toBeDefined();
      expect(learning.evidence()).toMatchObject({ refuted: 0, off_until: noon + bounds.offMs });
      expect(learning.logged).toEqual([
        { level: "warn", event: "cache_refuted", count: 1 },
        { level: "error", event: "cache_semantic_off" },
      ]);
    },
  );

  test.each(["same", "I cannot tell"])(
    "of a verifier that says %j of nonsense too is refuted",
    async (said) => {
      learning.control = said;
      const lesson = auditLesson();
      const entry = await keepEntry(learning, lesson);
      expect(await learning.learn([lesson])).toEqual([]);
      expect(await entry()).toBeUndefined();
      expect(learning.logged.map(({ event }) => event)).toEqual(["cache_refuted", "cache_semantic_off"]);
    },
  );

  test("that is refuted among many that agreed leaves the context on", async () => {
    learning.contexts.evidence.set("scope/context", {
      ...noEvidence,
      agreed: 200,
    });
    learning.verdict = "different";
    expect(await learning.learn([auditLesson()])).toEqual([]);
    expect(learning.evidence()).toMatchObject({ agreed: 200, refuted: 1, off_until: 0 });
    expect(learning.logged.map(({ event }) => event)).toEqual(["cache_refuted"]);
  });

  test("in a context that finds too little switches it off, and wakes nobody", async () => {
    learning.contexts.evidence.set("scope/context", {
      ...noEvidence,
      lookups: bounds.lookupsMin,
      candidates: 1,
    });
    expect(await learning.learn([auditLesson()])).toEqual([]);
    expect(learning.evidence()).toMatchObject({ off_until: noon + bounds.offMs });
    expect(learning.logged).toEqual([{ level: "info", event: "cache_semantic_idle" }]);
  });

  test("that died between its count and its end counts once, and still switches off", async () => {
    learning.verdict = "different";
    const lesson = auditLesson();
    let dies = true;
    learning.contexts.before = async (method) => {
      if (method !== "switchOff" || !dies) return;
      dies = false;
      throw new Error("the process dies");
    };
    expect(await learning.learn([lesson])).toEqual(["0"]);
    expect(learning.evidence()).toMatchObject({ refuted: 1, off_until: 0 });
    expect(await learning.learn([lesson])).toEqual([]);
    expect(learning.contexts.audits.size).toBe(1);
    expect(learning.evidence()).toMatchObject({ off_until: noon + bounds.offMs });
  });

  test("removes the wrong answer before it is counted", async () => {
    learning.verdict = "different";
    learning.contexts.before = (method) =>
      method === "countAudit" ? Promise.reject(new Error("the process dies")) : Promise.resolve();
    const lesson = auditLesson();
    const entry = await keepEntry(learning, lesson);
    expect(await learning.learn([lesson])).toEqual(["0"]);
    expect(await entry()).toBeUndefined();
  });

  test("leaves an answer that has taken the place of the refuted one", async () => {
    learning.verdict = "different";
    const lesson = auditLesson();
    const later = { ...lesson, entry: { ...lesson.entry, origin: newId("request", noon) } };
    const entry = await keepEntry(learning, later);
    expect(await learning.learn([lesson])).toEqual([]);
    expect(await entry()).toMatchObject({ origin: later.entry.origin });
    expect(learning.logged[0]).toEqual({ level: "warn", event: "cache_refuted", count: 0 });
  });
});
