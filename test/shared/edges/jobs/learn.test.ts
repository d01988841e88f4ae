/** What the learner makes of a batch: pages, and which messages come again. */
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { limits } from "#shared/base/limits.ts";
import { ThrottledError } from "#shared/base/platform/aws.ts";
import { bounds } from "#shared/calls/cache/semantic/bounds.ts";
import { type Lesson, sealLesson } from "#shared/calls/cache/semantic/lesson.ts";
import { sketchOf } from "#shared/calls/cache/semantic/sketch.ts";
import { learnBatch } from "#shared/edges/jobs/learn.ts";
import {
  auditLesson,
  entryLesson,
  lessonPepper,
  nameOn,
  newSketch,
  place,
  useLearning,
} from "#test/support/learning.ts";
import { createMemorySemantic } from "#test/support/memory-semantic.ts";
import { noon } from "#test/support/store.ts";

const day = 86_400_000;
const learning = useLearning();

describe("an entry", () => {
  test("is noted with the sketch of its question, which is embedded unless the call has done so", async () => {
    const [plain, sketched] = [entryLesson(), entryLesson({ name: nameOn("b"), vector_sketch: "" })];
    const own = Buffer.from(newSketch(), "base64url");
    sketched.vector_sketch = own.toString("base64url");
    expect(await learning.learn([plain, sketched])).toEqual([]);
    expect(learning.embedded).toEqual([plain.question]);
    const { name, until } = plain;
    expect(learning.recordsOn("a")).toEqual([{ name, until, sketch: sketchOf(learning.vector ?? []) }]);
    expect(learning.recordsOn("b")).toEqual([{ name: sketched.name, until, sketch: own }]);
    expect(learning.logged).toEqual([]);
  });

  test("shares a write with those of its page, and with no others", async () => {
    const other = { ...place, context: "another context" };
    const names = [nameOn("a"), nameOn("a"), nameOn("a")];
    const lessons = [
      ...names.map((name) => entryLesson({ name })),
      entryLesson({ place: other }),
      entryLesson({ name: nameOn("0") }),
    ];
    expect(await learning.learn(lessons)).toEqual([]);
    expect(learning.contexts.calls).toMatchObject({ readPage: 3, putPage: 3 });
    expect(learning.recordsOn("a").map(({ name }) => name)).toEqual(names);
    expect(learning.recordsOn("a", other)).toHaveLength(1);
  });

  test("that comes twice is written once", async () => {
    const lesson = entryLesson();
    await learning.learn([lesson, lesson]);
    await learning.learn([lesson]);
    expect(learning.recordsOn("a")).toHaveLength(1);
    expect(learning.contexts.calls).toMatchObject({ readPage: 2, putPage: 1 });
    await learning.learn([{ ...lesson, until: noon + 2 * day }]);
    expect(learning.recordsOn("a")).toMatchObject([{ name: lesson.name, until: noon + 2 * day }]);
  });

  test("that is over is not learned, and asks no model", async () => {
    expect(await learning.learn([entryLesson({ until: noon })])).toEqual([]);
    expect([learning.embedded, learning.contexts.calls.readPage]).toEqual([[], 0]);
  });

  test("is noted beside what another learner has written meanwhile", async () => {
    const [mine, theirs] = [entryLesson(), entryLesson()];
    const others = createMemorySemantic();
    Object.assign(others, { pages: learning.contexts.pages });
    learning.contexts.before = async (method) => {
      if (method !== "putPage" || learning.contexts.calls.putPage > 1) return;
      await learnBatch([{ id: "0", body: sealLesson(theirs, lessonPepper), tries: 1 }], {
        ...learning.deps,
        contexts: others,
      });
    };
    expect(await learning.learn([mine])).toEqual([]);
    expect(learning.recordsOn("a").map(({ name }) => name)).toEqual([theirs.name, mine.name]);
    expect(learning.contexts.calls.putPage).toBe(2);
  });

  test("takes the place of a page that does not open", async () => {
    learning.contexts.pages.set("scope/context", new Map([["a", { bytes: randomBytes(90), version: 7 }]]));
    expect(await learning.learn([entryLesson()])).toEqual([]);
    expect(learning.recordsOn("a")).toHaveLength(1);
    expect(learning.contexts.pages.get("scope/context")?.get("a")?.version).toBe(8);
  });

  test("finds its page full of others, of which the one that ends first goes", async () => {
    const names = Array.from({ length: bounds.recordsMax + 1 }, () => nameOn("a"));
    await learning.learn(names.map((name, at) => entryLesson({ name, until: noon + day + at })));
    expect(learning.recordsOn("a").map(({ name }) => name)).toEqual(names.slice(1));
  });
});

describe("a message", () => {
  test("that nobody can read comes again always, and stops no other one", async () => {
    const good = sealLesson(entryLesson(), lessonPepper);
    const bodies = ["no lesson", sealLesson(entryLesson(), "another pepper"), good];
    const failed = await learnBatch(
      bodies.map((body, id) => ({ id: String(id), body, tries: 99 })),
      learning.deps,
    );
    expect(failed).toEqual(["0", "1"]);
    expect(learning.recordsOn("a")).toHaveLength(1);
    expect(learning.logged.map(({ event }) => event)).toEqual(["lesson_unreadable", "lesson_unreadable"]);
  });

  test("of an unknown kind is not read", async () => {
    const body = sealLesson({ kind: "opinion" } as unknown as Lesson, lessonPepper);
    expect(await learnBatch([{ id: "7", body, tries: 1 }], learning.deps)).toEqual(["7"]);
  });

  test("shows nothing of its lesson", () => {
    const { question, ...lesson } = entryLesson();
    const body = Buffer.from(sealLesson({ question, ...lesson }, lessonPepper), "base64");
    for (const secret of [question, lesson.name, place.organization])
      expect(body.includes(secret)).toBe(false);
  });

  test.each([
    [
      "an embedder",
      () => entryLesson(),
      () => {
        learning.vector = undefined;
      },
    ],
    [
      "a verifier",
      () => auditLesson(),
      () => {
        learning.verdict = undefined;
      },
    ],
    [
      "the second word of a verifier",
      () => auditLesson(),
      () => {
        learning.control = undefined;
      },
    ],
    [
      "a busy table",
      () => entryLesson(),
      () => {
        learning.contexts.before = () => Promise.reject(new ThrottledError("ThrottlingException", 400, {}));
      },
    ],
    [
      "pages that others write",
      () => entryLesson(),
      () => {
        learning.contexts.putPage = async () => false;
      },
    ],
  ])("that waits for %s comes again, and is dropped at its last try", async (_, lesson, break_) => {
    const given = lesson();
    break_();
    expect(await learning.learn([given], limits.lessonTriesMax - 1)).toEqual(["0"]);
    expect(learning.logged).toEqual([]);
    expect(await learning.learn([given], limits.lessonTriesMax)).toEqual([]);
    expect(learning.logged).toEqual([{ level: "warn", event: "lesson_dropped", count: 1 }]);
  });

  test("that fails in a way nobody expected becomes a dead letter", async () => {
    learning.vector = [0];
    expect(await learning.learn([entryLesson()], limits.lessonTriesMax)).toEqual(["0"]);
    expect(learning.logged).toEqual([{ level: "error", event: "lesson_failed", count: 1 }]);
  });

  test("without an embedding does not stop those of its page that have one", async () => {
    learning.vector = undefined;
    const sketched = entryLesson({ vector_sketch: newSketch() });
    expect(await learning.learn([entryLesson(), sketched])).toEqual(["0"]);
    expect(learning.recordsOn("a").map(({ name }) => name)).toEqual([sketched.name]);
  });
});
