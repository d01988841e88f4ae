/** Looks for the answer to a question that means the same (README.md "The way of a call"). A failure is a miss. */

import { limits } from "../../../base/limits.ts";
import { describeError } from "../../../base/platform/log.ts";
import { within } from "../../../base/platform/pause.ts";
import type { Verified } from "../../../books/ledger/usage-event.ts";
import type { CacheEntries, CacheEntry } from "../entries.ts";
import { isTaken, type KeptAnswer, openEntry, type StoredReply, sealEntry } from "../entry.ts";
import type { QuestionPlace } from "../keys.ts";
import type { CacheControl } from "../wishes.ts";
import { isAudited } from "./audit.ts";
import { bounds } from "./bounds.ts";
import { type ContextEvidence, isOff, isTrusted } from "./evidence.ts";
import { judgeQuestions, verdictOf } from "./judge.ts";
import type { Lesson } from "./lesson.ts";
import { createModels, type ModelDeps } from "./models.ts";
import { type Neighbour, nearest, openPage } from "./page.ts";
import type { SemanticPorts } from "./ports.ts";
import { refusalOf } from "./rules.ts";
import { sketchOf } from "./sketch.ts";
import type { ContextPlace, EvidenceAddition, StoredPage } from "./store.ts";
import { switchOffIfDue } from "./switch-off.ts";

export interface SeekDeps extends ModelDeps {
  cache: CacheEntries;
  semantic(): Promise<SemanticPorts>;
}

interface Sought {
  request: string;
  text: string;
  place: QuestionPlace;
  owner: Pick<ContextPlace, "organization" | "project">;
  control: Pick<CacheControl, "max_age">;
  /** Whether its client takes an answer that was kept. */
  reads: boolean;
  /** Whether it has an answer of its own, which is too old for its client. No alias takes the place of that. */
  isKept(): boolean;
}

/** The entry of another question, whose answer serves. */
export interface Similar {
  name: string;
  entry: CacheEntry;
  kept: KeptAnswer;
  verified: Verified;
}

export interface Seeker {
  /** An entry whose answer serves the question, undefined where there is none. Never rejects. */
  seek(): Promise<Similar | undefined>;
  /** After the last byte: notes what the search has shown, and has the kept answer learned. Never rejects. */
  end(fresh: { kept: KeptAnswer; until: number } | undefined): Promise<void>;
}

interface Search {
  context: Promise<Context | undefined>;
  sketch?: Buffer;
  added: EvidenceAddition;
  served?: Similar;
  audited?: Similar;
}

/** What is kept of all questions of a context. */
interface Context {
  pages: Map<string, StoredPage>;
  evidence: ContextEvidence;
}

/** Begins to read what is known of the question's context. */
export function createSeeker(sought: Sought, deps: SeekDeps): Seeker {
  const search: Search = { context: readContext(sought, deps), added: {} };
  return {
    async seek() {
      if (!sought.reads) return undefined;
      try {
        return await seek(sought, search, deps);
      } catch (error) {
        deps.log("warn", "cache_unreadable", { request: sought.request, error: describeError(error) });
        return undefined;
      }
    },
    end: (fresh) => end(sought, search, fresh, deps),
  };
}

function contextPlace({ place: { scope, context }, owner }: Sought): ContextPlace {
  return { scope, context, ...owner };
}

async function readContext(sought: Sought, deps: SeekDeps): Promise<Context | undefined> {
  try {
    const { contexts } = await deps.semantic();
    return await contexts.read(contextPlace(sought));
  } catch (error) {
    deps.log("warn", "cache_unreadable", { request: sought.request, error: describeError(error) });
    return undefined;
  }
}

async function seek(sought: Sought, search: Search, deps: SeekDeps): Promise<Similar | undefined> {
  const context = await within(search.context, limits.cacheWaitMs, undefined);
  if (!context || isOff(context.evidence, deps.now())) return undefined;
  const records = recordsOf(context.pages, sought, deps);
  // The first questions of a context find nothing. The learner embeds them later.
  if (records.length === 0) return undefined;
  const models = createModels(deps);
  const vector = await models.embed(sought.text, bounds.embedMs);
  if (!vector) return undefined;
  search.sketch = sketchOf(vector);
  const neighbours = await openNearest(sought, nearest(records, search.sketch, deps.now()), deps);
  // A slow table says nothing of whether there is a candidate, so the lookup is not counted.
  if (!neighbours) return undefined;
  search.added.lookups = 1;
  const candidate = neighbours.find(({ kept }) => refusalOf(sought.text, kept.question) === undefined);
  if (!candidate) return undefined;
  search.added.candidates = 1;
  const verified = isTrusted(context.evidence) ? "evidence" : await judge(sought, candidate, search, models);
  if (!verified) return undefined;
  const similar: Similar = { ...candidate, verified };
  if (isAudited(sought.request)) {
    search.audited = similar;
    return undefined;
  }
  search.served = similar;
  return similar;
}

/** The questions of a context but this one. A page that does not open says nothing. */
function recordsOf(pages: Context["pages"], { place, request }: Sought, deps: SeekDeps): Neighbour[] {
  return [...pages].flatMap(([page, { bytes }]) => {
    try {
      return openPage(place, page, bytes).filter(({ name }) => name !== place.name);
    } catch (error) {
      deps.log("warn", "cache_unreadable", { request, error: describeError(error) });
      return [];
    }
  });
}

type SimilarQuestion = Omit<Similar, "verified">;

/** The entries of neighbours, the nearest first. Undefined where they cannot be read in time. */
async function openNearest(
  sought: Sought,
  neighbours: readonly Neighbour[],
  deps: SeekDeps,
): Promise<SimilarQuestion[] | undefined> {
  const read = Promise.all(neighbours.map(({ name }) => openCandidate(name, sought, deps)));
  const opened = await within<(SimilarQuestion | undefined)[] | undefined>(
    read,
    limits.cacheWaitMs,
    undefined,
  );
  return opened?.filter((candidate) => candidate !== undefined);
}

async function openCandidate(
  name: string,
  { place, control, request }: Sought,
  deps: SeekDeps,
): Promise<SimilarQuestion | undefined> {
  try {
    const own = { ...place, name };
    const entry = await deps.cache.read(own);
    if (!entry || !isTaken(entry, control, deps.now())) return undefined;
    const kept = openEntry(own, entry);
    return "alias" in kept ? undefined : { name, entry, kept };
  } catch (error) {
    deps.log("warn", "cache_unreadable", { request, error: describeError(error) });
    return undefined;
  }
}

/** The judge's word. Only a clear one counts, and only `same` serves. */
async function judge(
  { text }: Sought,
  { kept }: SimilarQuestion,
  { added }: Search,
  models: ReturnType<typeof createModels>,
): Promise<Verified | undefined> {
  const said = await models.ask(judgeQuestions(text, kept.question), bounds.judgeMs);
  if (said === undefined) return undefined;
  const isSame = verdictOf(said) === "same";
  added[isSame ? "confirmed" : "denied"] = 1;
  return isSame ? "judge" : undefined;
}

async function end(
  sought: Sought,
  search: Search,
  fresh: { kept: KeptAnswer; until: number } | undefined,
  deps: SeekDeps,
): Promise<void> {
  const { added, served, audited } = search;
  const done = (work: Promise<unknown>) =>
    work.catch((error: unknown) =>
      deps.log("warn", "cache_unwritten", { request: sought.request, error: describeError(error) }),
    );
  const works: Promise<unknown>[] = [];
  if (added.lookups) works.push(count(sought, added, deps));
  if (served && !fresh && !sought.isKept()) works.push(putAlias(sought, served, deps));
  if (fresh) works.push(teachEntry(sought, search, fresh.until, deps));
  if (fresh && audited) works.push(teach(auditOf(sought, audited, fresh.kept), deps));
  await Promise.all(works.map(done));
}

async function count(sought: Sought, added: EvidenceAddition, deps: SeekDeps): Promise<void> {
  const { contexts } = await deps.semantic();
  const place = contextPlace(sought);
  const evidence = await contexts.count(place, added, deps.now());
  await switchOffIfDue(place, evidence, { contexts, log: deps.log, now: deps.now });
}

/** From now on the question is found at once. It lasts no longer than the entry that it stands for. */
async function putAlias(
  { place, text }: Sought,
  { name, entry, verified }: Similar,
  { cache }: SeekDeps,
): Promise<void> {
  const { origin, at, until } = entry;
  const alias = { question: text, alias: { entry: name, verified } };
  await cache.put(place, sealEntry(place, { origin, at, until }, alias));
}

/** Has the learner note the question. A context that is off learns nothing, so that nobody pays for its embeddings. */
async function teachEntry(
  sought: Sought,
  { context, sketch }: Search,
  until: number,
  deps: SeekDeps,
): Promise<void> {
  const known = await context;
  if (known && isOff(known.evidence, deps.now())) return;
  const { place, text } = sought;
  const lesson: Lesson = {
    kind: "entry",
    place: contextPlace(sought),
    key: place.key.toString("base64url"),
    name: place.name,
    until,
    question: text,
    ...(sketch && { vector_sketch: sketch.toString("base64url") }),
  };
  await teach(lesson, deps);
}

function auditOf(sought: Sought, { name, entry, kept }: Similar, fresh: KeptAnswer): Lesson {
  return {
    kind: "audit",
    place: contextPlace(sought),
    request: sought.request,
    question: sought.text,
    kept: textOf(kept.reply),
    fresh: textOf(fresh.reply),
    entry: { name, origin: entry.origin },
  };
}

function textOf({ parts }: StoredReply): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function teach(lesson: Lesson, deps: SeekDeps): Promise<void> {
  const { lessons } = await deps.semantic();
  await lessons.send(lesson);
}
