/**
 * Learns a batch of lessons (shared/calls/cache/semantic/README.md "The learner"). One that comes twice changes
 * nothing. One that is lost costs only hits.
 */

import { limits } from "../../base/limits.ts";
import { isOverload } from "../../base/platform/aws.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import { openUnder } from "../../base/platform/pepper.ts";
import type { Secrets } from "../../base/platform/secrets.ts";
import type { CacheEntries } from "../../calls/cache/entries.ts";
import { bounds } from "../../calls/cache/semantic/bounds.ts";
import { judgeAnswers, judgeControl, verdictOf } from "../../calls/cache/semantic/judge.ts";
import { noteEntries } from "../../calls/cache/semantic/learn-page.ts";
import {
  type AuditLesson,
  type EntryLesson,
  type Lesson,
  openLesson,
} from "../../calls/cache/semantic/lesson.ts";
import { type Neighbour, pageOf } from "../../calls/cache/semantic/page.ts";
import { sketchBytes, sketchOf } from "../../calls/cache/semantic/sketch.ts";
import type { SemanticStore } from "../../calls/cache/semantic/store.ts";
import { switchOffIfDue } from "../../calls/cache/semantic/switch-off.ts";
import type { ChatRequest } from "../../calls/chat/request.ts";

export interface LearnDeps {
  contexts: SemanticStore;
  cache: Pick<CacheEntries, "remove">;
  /** The embedder and the verifier of the catalog. Both give undefined where they did not answer in time. */
  embed(text: string, ms: number): Promise<readonly number[] | undefined>;
  ask(request: ChatRequest, ms: number): Promise<string | undefined>;
  secrets: Pick<Secrets, "peppers">;
  log: Log;
  /** Unix milliseconds. */
  now: () => number;
}

/** A message of the queue. `tries` counts how often it was received, this time included. */
interface QueueMessage {
  id: string;
  body: string;
  tries: number;
}

/** What became of a lesson: it is learned or needs no learning, or it has to wait for something. */
type Learned = "done" | "again";

/**
 * Gives the ids of messages that must come again. One that nobody can read does so until it is a dead letter. One that
 * waits for a model or a busy table does until its last try, and is then dropped. No message stops another.
 */
export async function learnBatch(messages: QueueMessage[], deps: LearnDeps): Promise<string[]> {
  const peppers = await deps.secrets.peppers();
  const [entries, audits]: [LessonRequest<EntryLesson>[], LessonRequest<AuditLesson>[]] = [[], []];
  const failed: string[] = [];
  for (const message of messages) {
    try {
      const open = (pepper: string) => openLesson(message.body, pepper);
      const lesson = await openUnder(peppers, open, () => deps.secrets.peppers(peppers));
      if (lesson.kind === "entry") entries.push({ message, lesson });
      else audits.push({ message, lesson });
    } catch (error) {
      deps.log("error", "lesson_unreadable", { error: describeError(error) });
      failed.push(message.id);
    }
  }
  const again = await Promise.all([
    ...byPage(entries).map((page) => learnPage(page, deps)),
    ...audits.map((audit) => tried([audit], () => learnAudit(audit.lesson, deps), deps)),
  ]);
  return [...failed, ...again.flat()];
}

/** A lesson with the message that it came in. */
interface LessonRequest<Kind extends Lesson> {
  message: QueueMessage;
  lesson: Kind;
}

/** Entries of the same page, which are noted with one write. */
function byPage(entries: LessonRequest<EntryLesson>[]): LessonRequest<EntryLesson>[][] {
  const groups = Map.groupBy(entries, ({ lesson: { place, name } }) =>
    [place.scope, place.context, pageOf(name)].join("/"),
  );
  return [...groups.values()];
}

/** Learns lessons, and gives the ids of those messages that must come again. */
async function tried(
  given: LessonRequest<Lesson>[],
  learn: () => Promise<Learned>,
  { log }: LearnDeps,
): Promise<string[]> {
  try {
    if ((await learn()) === "done") return [];
  } catch (error) {
    if (!isOverload(error)) {
      log("error", "lesson_failed", { count: given.length, error: describeError(error) });
      return given.map(({ message }) => message.id);
    }
  }
  const last = given.filter(({ message }) => message.tries >= limits.lessonTriesMax);
  if (last.length > 0) log("warn", "lesson_dropped", { count: last.length });
  return given.filter((each) => !last.includes(each)).map(({ message }) => message.id);
}

/** Notes the entries of one page that have a sketch, and gives the ids of the messages that must come again. */
async function learnPage(given: LessonRequest<EntryLesson>[], deps: LearnDeps): Promise<string[]> {
  const sketched: (LessonRequest<EntryLesson> & { record: Neighbour })[] = [];
  const alive = given.filter(({ lesson }) => lesson.until > deps.now());
  const unsketched = await Promise.all(
    alive.map((each) =>
      tried(
        [each],
        async () => {
          const sketch = await sketchFor(each.lesson, deps);
          const { name, until } = each.lesson;
          if (sketch) sketched.push({ ...each, record: { name, until, sketch } });
          return sketch ? "done" : "again";
        },
        deps,
      ),
    ),
  );
  const [first] = sketched;
  if (!first) return unsketched.flat();
  const { place, key, name } = first.lesson;
  const ofPage = { ...place, key: Buffer.from(key, "base64url") };
  const records = sketched.map(({ record }) => record);
  const note = async () =>
    (await noteEntries(ofPage, pageOf(name), records, deps.contexts, deps.now)) ? "done" : "again";
  return [...unsketched.flat(), ...(await tried(sketched, note, deps))];
}

/** The sketch that the call has made, or a new one. Undefined where the embedder does not answer. */
async function sketchFor(
  { vector_sketch, question }: EntryLesson,
  deps: LearnDeps,
): Promise<Buffer | undefined> {
  const made = Buffer.from(vector_sketch ?? "", "base64url");
  if (made.length === sketchBytes) return made;
  const vector = await deps.embed(question, bounds.learnEmbedMs);
  return vector && sketchOf(vector);
}

/**
 * The entry goes before the refutation is counted, so a message that comes again after a crash leaves no wrong answer.
 */
async function learnAudit(audit: AuditLesson, deps: LearnDeps): Promise<Learned> {
  const { place, request, entry } = audit;
  const { contexts, now } = deps;
  const verdict = await verdictOn(audit, deps);
  if (verdict === undefined) return "again";
  if (verdict === "refuted") {
    // Its aliases have no answer of their own: they are nothing from now on.
    const removed = await deps.cache.remove({ scope: place.scope, name: entry.name }, entry.origin);
    deps.log("warn", "cache_refuted", { request, organization: place.organization, count: Number(removed) });
  }
  const evidence = await contexts.countAudit(place, { request, verdict }, now());
  await switchOffIfDue(place, evidence, deps);
  return "done";
}

/** Undefined where the verifier does not answer. A verifier that finds nonsense to say the same has not said yes. */
async function verdictOn(
  { question, kept, fresh }: AuditLesson,
  deps: LearnDeps,
): Promise<"agreed" | "refuted" | undefined> {
  const told = await deps.ask(judgeAnswers(question, kept, fresh), bounds.learnJudgeMs);
  if (told === undefined) return undefined;
  if (verdictOf(told) !== "same") return "refuted";
  const control = await deps.ask(judgeControl(question, fresh), bounds.learnJudgeMs);
  if (control === undefined) return undefined;
  return verdictOf(control) === "different" ? "agreed" : "refuted";
}
