/** What a call teaches the semantic level: an entry, or two answers to compare (README.md "The learner"). */
import { decrypt, deriveKey, encrypt } from "../../../base/platform/encryption.ts";
import type { ContextPlace } from "./store.ts";

/** An entry that was kept. Its question becomes a record of a page of its context. */
export interface EntryLesson {
  kind: "entry";
  place: ContextPlace;
  /** The key of the scope's boxes, base64url. Pages are encrypted under it too. */
  key: string;
  name: string;
  /** When the entry ends, Unix milliseconds. */
  until: number;
  question: string;
  /** The sketch of the question, base64url, where the call has made it already. */
  vector_sketch?: string;
}

/** A hit that was not served. A provider answered instead, so two answers to one question are there to compare. */
export interface AuditLesson {
  kind: "audit";
  place: ContextPlace;
  /** The call that was audited. It counts once. */
  request: string;
  question: string;
  /** The text of the answer that was kept, and of the one that the provider gave. */
  kept: string;
  fresh: string;
  /** The entry that would have been served, and the call that it came from. */
  entry: { name: string; origin: string };
}

export type Lesson = EntryLesson | AuditLesson;

/** Where lessons go. Rejects where the queue did not take one: a lesson that is lost costs hits, and nothing else. */
export interface Lessons {
  send(lesson: Lesson): Promise<void>;
}

/** A lesson as the body of a message: base64 of its encrypted JSON. */
export function sealLesson(lesson: Lesson, pepper: string): string {
  return encrypt(keyOf(pepper), context, Buffer.from(JSON.stringify(lesson))).toString("base64");
}

/** The lesson of a message. Throws where this pepper did not seal it, or where it is none that is known here. */
export function openLesson(body: string, pepper: string): Lesson {
  const plain = decrypt(keyOf(pepper), context, Buffer.from(body, "base64"));
  const lesson = JSON.parse(plain.toString("utf8")) as Partial<Lesson> | null;
  if (lesson?.kind !== "entry" && lesson?.kind !== "audit") throw new TypeError("an unknown kind of lesson");
  return lesson as Lesson;
}

const context = "cache lesson 1";

/** A process has one pepper at a time, and a key is derived for each lesson otherwise. */
let derived: { pepper: string; key: Buffer } | undefined;

function keyOf(pepper: string): Buffer {
  if (derived?.pepper !== pepper) derived = { pepper, key: deriveKey(pepper, "cache lessons") };
  return derived.key;
}
