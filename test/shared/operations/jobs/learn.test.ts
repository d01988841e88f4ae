/** What the learner makes of a batch: pages, evidence, and which messages come again. */
import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { bounds } from "#shared/cache/semantic/bounds.ts";
import { noEvidence } from "#shared/cache/semantic/evidence.ts";
import { judgeControl } from "#shared/cache/semantic/judge.ts";
import {
  type AuditLesson,
  type EntryLesson,
  type Lesson,
  sealLesson,
} from "#shared/cache/semantic/lesson.ts";
import { openPage } from "#shared/cache/semantic/page.ts";
import { sketchOf } from "#shared/cache/semantic/sketch.ts";
import type { ContextPlace } from "#shared/cache/semantic/store.ts";
import type { ChatRequest } from "#shared/chat/request.ts";
import { limits } from "#shared/limits.ts";
import { type LearnDeps, learnBatch } from "#shared/operations/jobs/learn.ts";
import { ThrottledError } from "#shared/platform/aws.ts";
import { newId } from "#shared/platform/id.ts";
import { createMemorySemantic, type MemorySemantic } from "#test/support/memory-semantic.ts";
import { noon } from "#test/support/store.ts";

const pepper = "the pepper";
const day = 86_400_000;
const place: ContextPlace = { scope: "scope", context: "context", organization: "org_1", project: "" };
const key = randomBytes(32);

let semantic: MemorySemantic;
let logged: { level: string; event: string; count?: number | undefined }[];
let embedded: string[];
let asked: ChatRequest[];
/** What the two models give. */
let vector: readonly number[] | undefined;
let verdict: string | undefined;
let control: string | undefined;
let deps: LearnDeps;

beforeEach(() => {
  semantic = createMemorySemantic();
  [logged, embedded, asked] = [[], [], []];
  vector = [1, 2, 3, 4, 5, 6, 7, 8];
  verdict = "same";
  control = "different";
  deps = {
    contexts: semantic,
    embed: async (text) => {
      embedded.push(text);
      return vector;
    },
    ask: async (request) => {
      asked.push(request);
      return isControl(request) ? control : verdict;
    },
    secrets: { pepper: async () => pepper },
    log: (level, event, fields) =>
      logged.push({ level, event, ...(fields?.count && { count: fields.count }) }),
    now: () => noon,
  };
});

/** Whether the verifier is asked about nonsense. */
const isControl = (request: ChatRequest) =>
  JSON.stringify(request) === JSON.stringify(judgeControl(question, fresh));
const [question, fresh] = ["How deep is the sea?", "About 11 km."];

/** A name on the page of this hexadecimal digit. */
const nameOn = (page: string) =>
  Buffer.concat([Buffer.from(`${page}0`, "hex"), randomBytes(15)]).toString("base64url");
const entry = (change: Partial<EntryLesson> = {}): EntryLesson => ({
  kind: "entry",
  place,
  key: key.toString("base64url"),
  name: nameOn("a"),
  until: noon + day,
  question,
  ...change,
});
const audit = (change: Partial<AuditLesson> = {}): AuditLesson => ({
  kind: "audit",
  place,
  request: newId("request", noon),
  question,
  kept: "Eleven kilometres.",
  fresh,
  entry: { name: nameOn("a"), origin: newId("request", noon) },
  ...change,
});
const learn = (lessons: Lesson[], tries = 1) =>
  learnBatch(
    lessons.map((lesson, id) => ({ id: String(id), body: sealLesson(lesson, pepper), tries })),
    deps,
  );
const recordsOn = (page: string, at = place) => {
  const stored = semantic.pages.get(`${at.scope}/${at.context}`)?.get(page);
  return stored ? openPage({ ...at, key }, page, stored.bytes) : [];
};
const evidence = () => semantic.evidence.get("scope/context");

describe("an entry", () => {
  test("is noted with the sketch of its question, which is embedded unless the call has done so", async () => {
    const [plain, sketched] = [entry(), entry({ name: nameOn("b"), vector_sketch: "" })];
    const own = randomBytes(32);
    sketched.vector_sketch = own.toString("base64url");
    expect(await learn([plain, sketched])).toEqual([]);
    expect(embedded).toEqual([plain.question]);
    const { name, until } = plain;
    expect(recordsOn("a")).toEqual([{ name, until, sketch: sketchOf(vector ?? []) }]);
    expect(recordsOn("b")).toEqual([{ name: sketched.name, until, sketch: own }]);
    expect(logged).toEqual([]);
  });

  test("shares a write with those of its page, and with no others", async () => {
    const other = { ...place, context: "another context" };
    const names = [nameOn("a"), nameOn("a"), nameOn("a")];
    const lessons = [
      ...names.map((name) => entry({ name })),
      entry({ place: other }),
      entry({ name: nameOn("0") }),
    ];
    expect(await learn(lessons)).toEqual([]);
    expect(semantic.calls).toMatchObject({ readPage: 3, putPage: 3 });
    expect(recordsOn("a").map(({ name }) => name)).toEqual(names);
    expect(recordsOn("a", other)).toHaveLength(1);
  });

  test("that comes twice is written once", async () => {
    const lesson = entry();
    await learn([lesson, lesson]);
    await learn([lesson]);
    expect(recordsOn("a")).toHaveLength(1);
    expect(semantic.calls).toMatchObject({ readPage: 2, putPage: 1 });
    await learn([{ ...lesson, until: noon + 2 * day }]);
    expect(recordsOn("a")).toMatchObject([{ name: lesson.name, until: noon + 2 * day }]);
  });

  test("that is over is not learned, and asks no model", async () => {
    expect(await learn([entry({ until: noon })])).toEqual([]);
    expect([embedded, semantic.calls.readPage]).toEqual([[], 0]);
  });

  test("is noted beside what another learner has written meanwhile", async () => {
    const [mine, theirs] = [entry(), entry()];
    const others = createMemorySemantic();
    Object.assign(others, { pages: semantic.pages });
    semantic.before = async (method) => {
      if (method !== "putPage" || semantic.calls.putPage > 1) return;
      await learnBatch([{ id: "0", body: sealLesson(theirs, pepper), tries: 1 }], {
        ...deps,
        contexts: others,
      });
    };
    expect(await learn([mine])).toEqual([]);
    expect(recordsOn("a").map(({ name }) => name)).toEqual([theirs.name, mine.name]);
    expect(semantic.calls.putPage).toBe(2);
  });

  test("takes the place of a page that does not open", async () => {
    semantic.pages.set("scope/context", new Map([["a", { bytes: randomBytes(90), version: 7 }]]));
    expect(await learn([entry()])).toEqual([]);
    expect(recordsOn("a")).toHaveLength(1);
    expect(semantic.pages.get("scope/context")?.get("a")?.version).toBe(8);
  });

  test("finds its page full of others, of which the one that ends first goes", async () => {
    const names = Array.from({ length: bounds.recordsMax + 1 }, () => nameOn("a"));
    await learn(names.map((name, at) => entry({ name, until: noon + day + at })));
    expect(recordsOn("a").map(({ name }) => name)).toEqual(names.slice(1));
  });
});

describe("an audit", () => {
  test("that agrees counts once, however often it comes, and removes nothing", async () => {
    const lesson = audit();
    expect(await learn([lesson, lesson])).toEqual([]);
    expect(await learn([lesson])).toEqual([]);
    expect(evidence()).toMatchObject({ agreed: 1, refuted: 0 });
    expect(semantic.removed).toEqual([]);
    expect(JSON.stringify(asked[0])).toContain("Eleven kilometres.");
  });

  test.each(["different", "the same, I think", ""])(
    "to which the verifier says %j removes the entry, and the context is off for a day",
    async (said) => {
      verdict = said;
      const lesson = audit();
      expect(await learn([lesson])).toEqual([]);
      expect(semantic.removed).toEqual([{ scope: "scope", origin: lesson.entry.origin }]);
      expect(evidence()).toMatchObject({ refuted: 0, off_until: noon + bounds.offMs });
      expect(logged).toEqual([
        { level: "warn", event: "cache_refuted", count: 1 },
        { level: "error", event: "cache_semantic_off" },
      ]);
    },
  );

  test.each(["same", "I cannot tell"])(
    "of a verifier that says %j of nonsense too is refuted",
    async (said) => {
      control = said;
      expect(await learn([audit()])).toEqual([]);
      expect(semantic.removed).toHaveLength(1);
      expect(logged.map(({ event }) => event)).toEqual(["cache_refuted", "cache_semantic_off"]);
    },
  );

  test("that is refuted among many that agreed leaves the context on", async () => {
    semantic.evidence.set("scope/context", {
      ...noEvidence,
      agreed: 200,
    });
    verdict = "different";
    expect(await learn([audit()])).toEqual([]);
    expect(evidence()).toMatchObject({ agreed: 200, refuted: 1, off_until: 0 });
    expect(logged.map(({ event }) => event)).toEqual(["cache_refuted"]);
  });

  test("in a context that finds too little switches it off, and wakes nobody", async () => {
    semantic.evidence.set("scope/context", {
      ...noEvidence,
      lookups: bounds.lookupsMin,
      candidates: 1,
    });
    expect(await learn([audit()])).toEqual([]);
    expect(evidence()).toMatchObject({ off_until: noon + bounds.offMs });
    expect(logged).toEqual([{ level: "info", event: "cache_semantic_idle" }]);
  });

  test("that died between its count and its end counts once, and still switches off", async () => {
    verdict = "different";
    const lesson = audit();
    let dies = true;
    semantic.before = async (method) => {
      if (method !== "switchOff" || !dies) return;
      dies = false;
      throw new Error("the process dies");
    };
    expect(await learn([lesson])).toEqual(["0"]);
    expect(evidence()).toMatchObject({ refuted: 1, off_until: 0 });
    expect(await learn([lesson])).toEqual([]);
    expect(semantic.audits.size).toBe(1);
    expect(evidence()).toMatchObject({ off_until: noon + bounds.offMs });
  });

  test("removes the wrong answer before it is counted", async () => {
    verdict = "different";
    semantic.before = (method) =>
      method === "countAudit" ? Promise.reject(new Error("the process dies")) : Promise.resolve();
    expect(await learn([audit()])).toEqual(["0"]);
    expect(semantic.removed).toHaveLength(1);
  });
});

describe("a message", () => {
  test("that nobody can read comes again always, and stops no other one", async () => {
    const good = sealLesson(entry(), pepper);
    const bodies = ["no lesson", sealLesson(entry(), "another pepper"), good];
    const failed = await learnBatch(
      bodies.map((body, id) => ({ id: String(id), body, tries: 99 })),
      deps,
    );
    expect(failed).toEqual(["0", "1"]);
    expect(recordsOn("a")).toHaveLength(1);
    expect(logged.map(({ event }) => event)).toEqual(["lesson_unreadable", "lesson_unreadable"]);
  });

  test("of an unknown kind is not read", async () => {
    const body = sealLesson({ kind: "opinion" } as unknown as Lesson, pepper);
    expect(await learnBatch([{ id: "7", body, tries: 1 }], deps)).toEqual(["7"]);
  });

  test("shows nothing of its lesson", () => {
    const { question, ...lesson } = entry();
    const body = Buffer.from(sealLesson({ question, ...lesson }, pepper), "base64");
    for (const secret of [question, lesson.name, place.organization])
      expect(body.includes(secret)).toBe(false);
  });

  test.each([
    [
      "an embedder",
      () => entry(),
      () => {
        vector = undefined;
      },
    ],
    [
      "a verifier",
      () => audit(),
      () => {
        verdict = undefined;
      },
    ],
    [
      "the second word of a verifier",
      () => audit(),
      () => {
        control = undefined;
      },
    ],
    [
      "a busy table",
      () => entry(),
      () => {
        semantic.before = () => Promise.reject(new ThrottledError("ThrottlingException", 400, {}));
      },
    ],
    [
      "pages that others write",
      () => entry(),
      () => {
        semantic.putPage = async () => false;
      },
    ],
  ])("that waits for %s comes again, and is dropped at its last try", async (_, lesson, break_) => {
    const given = lesson();
    break_();
    expect(await learn([given], limits.lessonTriesMax - 1)).toEqual(["0"]);
    expect(logged).toEqual([]);
    expect(await learn([given], limits.lessonTriesMax)).toEqual([]);
    expect(logged).toEqual([{ level: "warn", event: "lesson_dropped", count: 1 }]);
  });

  test("that fails in a way nobody expected becomes a dead letter", async () => {
    vector = [0];
    expect(await learn([entry()], limits.lessonTriesMax)).toEqual(["0"]);
    expect(logged).toEqual([{ level: "error", event: "lesson_failed", count: 1 }]);
  });

  test("without an embedding does not stop those of its page that have one", async () => {
    vector = undefined;
    const sketched = entry({ vector_sketch: randomBytes(32).toString("base64url") });
    expect(await learn([entry(), sketched])).toEqual(["0"]);
    expect(recordsOn("a").map(({ name }) => name)).toEqual([sketched.name]);
  });
});
