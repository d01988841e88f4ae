/** A learner over a store in memory, with two models that say what a test wants. */

import { randomBytes } from "node:crypto";
import { beforeEach } from "vitest";
import { newId } from "#shared/base/platform/id.ts";
import { readPeppers } from "#shared/base/platform/pepper.ts";
import type { ContextEvidence } from "#shared/calls/cache/semantic/evidence.ts";
import { judgeControl } from "#shared/calls/cache/semantic/judge.ts";
import {
  type AuditLesson,
  type EntryLesson,
  type Lesson,
  sealLesson,
} from "#shared/calls/cache/semantic/lesson.ts";
import { type Neighbour, openPage } from "#shared/calls/cache/semantic/page.ts";
import { sketchBytes } from "#shared/calls/cache/semantic/sketch.ts";
import type { ContextPlace } from "#shared/calls/cache/semantic/store.ts";
import type { ChatRequest } from "#shared/calls/chat/request.ts";
import { type LearnDeps, learnBatch } from "#shared/edges/jobs/learn.ts";
import { createMemoryCache, type MemoryCache } from "./memory-cache.ts";
import { createMemorySemantic, type MemorySemantic } from "./memory-semantic.ts";
import { noon } from "./store.ts";

export const lessonPepper = "the pepper";
export const place: ContextPlace = { scope: "scope", context: "context", organization: "org_1", project: "" };
const key = randomBytes(sketchBytes);
const dayMs = 86_400_000;

interface Learning {
  contexts: MemorySemantic;
  cache: MemoryCache;
  deps: LearnDeps;
  logged: { level: string; event: string; count?: number | undefined }[];
  embedded: string[];
  asked: ChatRequest[];
  /** What the two models give, and what the verifier says of nonsense. */
  vector: readonly number[] | undefined;
  verdict: string | undefined;
  control: string | undefined;
  /** Learns a batch, and gives the places in it of what must come again. */
  learn(lessons: Lesson[], tries?: number): Promise<string[]>;
  /** The records of a page. */
  recordsOn(page: string, at?: ContextPlace): Neighbour[];
  evidence(): ContextEvidence | undefined;
}

/** Registers a fresh learner for each test of the file. */
export function useLearning(): Learning {
  const learning = {
    learn: (lessons, tries = 1) =>
      learnBatch(
        lessons.map((lesson, id) => ({ id: String(id), body: sealLesson(lesson, lessonPepper), tries })),
        learning.deps,
      ),
    recordsOn(page, at = place) {
      const stored = learning.contexts.pages.get(`${at.scope}/${at.context}`)?.get(page);
      return stored ? openPage({ ...at, key }, page, stored.bytes) : [];
    },
    evidence: () => learning.contexts.evidence.get("scope/context"),
  } as Learning;
  beforeEach(() => {
    Object.assign(learning, { logged: [], embedded: [], asked: [] });
    Object.assign(learning, { vector: [1, 2, 3, 4, 5, 6, 7, 8], verdict: "same", control: "different" });
    learning.contexts = createMemorySemantic();
    learning.cache = createMemoryCache();
    learning.deps = depsOf(learning);
  });
  return learning;
}

function depsOf(learning: Learning): LearnDeps {
  return {
    contexts: learning.contexts,
    cache: learning.cache,
    embed: async (text) => {
      learning.embedded.push(text);
      return learning.vector;
    },
    ask: async (request) => {
      learning.asked.push(request);
      return isControl(request) ? learning.control : learning.verdict;
    },
    secrets: { peppers: async () => readPeppers(lessonPepper) },
    log: (level, event, fields) =>
      learning.logged.push({ level, event, ...(fields?.count !== undefined && { count: fields.count }) }),
    now: () => noon,
  };
}

const [question, fresh] = ["How deep is the sea?", "About 11 km."];

/** Whether the verifier is asked about nonsense. */
function isControl(request: ChatRequest): boolean {
  return JSON.stringify(request) === JSON.stringify(judgeControl(question, fresh));
}

/** A name on the page of this hexadecimal digit. */
export function nameOn(page: string): string {
  return Buffer.concat([Buffer.from(`${page}0`, "hex"), randomBytes(15)]).toString("base64url");
}

/** A sketch by chance, as a lesson has it. */
export function newSketch(): string {
  return randomBytes(sketchBytes).toString("base64url");
}

/** A lesson of an entry on page `a`. */
export function entryLesson(change: Partial<EntryLesson> = {}): EntryLesson {
  return {
    kind: "entry",
    place,
    key: key.toString("base64url"),
    name: nameOn("a"),
    until: noon + dayMs,
    question,
    ...change,
  };
}

/** Keeps the entry that an audit is about. Gives what reads it. */
export async function keepEntry(learning: Learning, { place, entry }: AuditLesson) {
  const at = { ...place, name: entry.name, key };
  await learning.cache.put(at, {
    origin: entry.origin,
    at: noon,
    until: noon + dayMs,
    box: Buffer.from([1]),
  });
  return () => learning.cache.read(at);
}

/** A lesson of an audit of a call of its own. */
export function auditLesson(change: Partial<AuditLesson> = {}): AuditLesson {
  return {
    kind: "audit",
    place,
    request: newId("request", noon),
    question,
    kept: "Eleven kilometres.",
    fresh,
    entry: { name: nameOn("a"), origin: newId("request", noon) },
    ...change,
  };
}
