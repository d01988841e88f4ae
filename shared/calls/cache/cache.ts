/** The cache of answers: finds the answer to a call, and keeps one (README.md "The way of a call"). */

import type { JsonBody } from "../../base/json/body.ts";
import { describeError } from "../../base/platform/log.ts";
import type { Secrets } from "../../base/platform/secrets.ts";
import type { Usage } from "../../books/billing/usage.ts";
import { providersAllowed } from "../../books/catalog/allowed-models.ts";
import type { CacheHit } from "../../books/ledger/usage-event.ts";
import type { Crossing, CrossingName } from "../protocols/crossing.ts";
import { crossingOf } from "../protocols/crossings.ts";
import { bounds } from "./bounds.ts";
import { canonicalOf } from "./canonical.ts";
import { type Bypass, type EligibleCall, type Question, questionOf } from "./eligible.ts";
import type { CacheEntry } from "./entries.ts";
import { isTaken, type KeptAlias, type KeptAnswer, openEntry, sealEntry } from "./entry.ts";
import { type KeyedCall, placeOf, type QuestionPlace } from "./keys.ts";
import { type AnsweredCall, type ReplayedAnswer, replay } from "./replay.ts";
import type { SeekDeps, Seeker, Similar } from "./semantic/seek.ts";
import { storableReply } from "./storable.ts";
import { type CacheControl, readCacheControl } from "./wishes.ts";

interface CacheDeps extends SeekDeps {
  secrets: Pick<Secrets, "peppers" | "provider">;
}

type CacheableCall = EligibleCall &
  Omit<KeyedCall, "body" | "user"> &
  Omit<AnsweredCall, "body"> & { request: EligibleCall["request"] & AnsweredCall["request"] };

/** A call that has a cache. */
export interface AskedCall {
  /** Its answer, once it is known; undefined where it has to be asked for. Never rejects. */
  found: Promise<Hit | undefined>;
  /** Finds the answer to the same question in other words. It asks models: only for an admitted call. Never rejects. */
  similar?: () => Promise<Hit | undefined>;
  /** Does what comes after the last byte. `given` is the answer that a provider gave, if one did. Never rejects. */
  end(given?: GivenAnswer): Promise<void>;
}

/** An answer that a provider gave, as it left. */
interface GivenAnswer {
  bytes: Buffer;
  usage: Usage;
  /** Names of what the provider was not sent, as the header told them. */
  dropped?: string | undefined;
}

export interface Hit extends Omit<CacheHit, "saved_points"> {
  /** What the call used that got the answer from a provider. */
  usage: Usage;
  answer: ReplayedAnswer;
  /** What the header of that call's answer said was dropped. */
  dropped?: string;
}

/** Begins to look for the answer to a call, or says why the call has no cache. Rejects only without a pepper. */
export async function look(call: CacheableCall, deps: CacheDeps): Promise<AskedCall | { bypass: Bypass }> {
  const question = questionOf(call);
  if (typeof question === "string") return { bypass: question };
  const asked: WholeCall = { ...call, body: call.body as JsonBody, user: call.call.user };
  const { current } = await deps.secrets.peppers();
  const place = placeOf(asked, question, current.value);
  const name = call.protocol.crossing as CrossingName;
  const crossing = await crossingOf(name);
  const control = readCacheControl(call.request.headers);
  const sought: PlacedCall = { call: asked, question, place, name, crossing, control, isKept: false };
  const found = find(sought, deps);
  const seeker = question.semantic && mayCompare(asked, deps) ? seekerFor(sought, deps) : undefined;
  return {
    found,
    ...(seeker && { similar: () => findSimilar(sought, seeker, deps) }),
    async end(given) {
      const kept = given && (await keep(sought, given, deps));
      await (await seeker)?.end(kept);
    },
  };
}

/** Whether there are models that compare meanings, and the caller's policies let all of their providers be asked. */
function mayCompare({ principal }: WholeCall, { catalog }: Pick<CacheDeps, "catalog">): boolean {
  const models = catalog.cacheModels();
  return models !== undefined && Object.values(models).every((model) => providersAllowed(model, principal));
}

interface PlacedCall {
  call: WholeCall;
  question: Question;
  place: QuestionPlace;
  name: CrossingName;
  crossing: Crossing;
  control: CacheControl;
  /** Whether the question has an answer of its own, also one that is too old for this call. Known once it was read. */
  isKept: boolean;
}

type WholeCall = KeyedCall & AnsweredCall & { request: CacheableCall["request"] };

/** Nothing is read where the client wants an answer that is asked for anew. */
function reads({ no_cache, max_age }: CacheControl): boolean {
  return !no_cache && max_age !== 0;
}

async function find(asked: PlacedCall, deps: CacheDeps): Promise<Hit | undefined> {
  const { call, question, place, control } = asked;
  if (!reads(control)) return undefined;
  try {
    const entry = await deps.cache.read(place);
    if (!entry || entry.until <= deps.now()) return undefined;
    const kept = openEntry(place, entry);
    asked.isKept = !("alias" in kept);
    if (!isTaken(entry, control, deps.now())) return undefined;
    const level = levelOf(question, kept);
    if (!level) return undefined;
    if (!("alias" in kept)) return hitOf({ level, place: place.name, entry, kept }, asked, deps);
    // It was served as an answer to another question, and those who did not choose that must not get it.
    if (!question.semantic) return undefined;
    const similar = await follow(kept, entry, asked, deps);
    return similar && similarHit(similar, asked, deps);
  } catch (error) {
    deps.log("warn", "cache_unreadable", { request: call.request.id, error: describeError(error) });
    return undefined;
  }
}

/** The entry that an alias stands for. Undefined once it is removed, replaced or over. */
async function follow(
  { alias }: KeptAlias,
  { origin }: CacheEntry,
  { place, control }: PlacedCall,
  deps: CacheDeps,
): Promise<Similar | undefined> {
  const target = { ...place, name: alias.entry };
  const entry = await deps.cache.read(target);
  if (!entry || entry.origin !== origin || !isTaken(entry, control, deps.now())) return undefined;
  const kept = openEntry(target, entry);
  return "alias" in kept ? undefined : { name: alias.entry, verified: alias.verified, entry, kept };
}

/** How the question of an entry equals the one that is asked; undefined where it does not. */
function levelOf(
  { text, canonical }: Question,
  { question }: KeptAnswer | KeptAlias,
): "exact" | "canonical" | undefined {
  if (question === text) return "exact";
  return canonical && canonicalOf(question) === canonicalOf(text) ? "canonical" : undefined;
}

/** What looks for questions that mean the same. Its code is loaded with the first call that wishes it. */
async function seekerFor(asked: PlacedCall, deps: CacheDeps): Promise<Seeker | undefined> {
  const { call, question, place, control } = asked;
  try {
    const { createSeeker } = await import("./semantic/seek.ts");
    const { organization, key } = call.principal;
    const owner = { organization: organization.id, project: key.project };
    const { text } = question;
    const sought = { request: call.request.id, text, place, owner, control, reads: reads(control) };
    return createSeeker({ ...sought, isKept: () => asked.isKept }, deps);
  } catch (error) {
    deps.log("warn", "cache_failed", { request: call.request.id, error: describeError(error) });
    return undefined;
  }
}

async function findSimilar(
  asked: PlacedCall,
  seeker: Promise<Seeker | undefined>,
  deps: CacheDeps,
): Promise<Hit | undefined> {
  const similar = await (await seeker)?.seek();
  try {
    return similar && similarHit(similar, asked, deps);
  } catch (error) {
    deps.log("warn", "cache_unreadable", { request: asked.call.request.id, error: describeError(error) });
    return undefined;
  }
}

function similarHit({ name, entry, kept, verified }: Similar, asked: PlacedCall, deps: CacheDeps): Hit {
  const hit = hitOf({ level: "semantic", place: name, entry, kept }, asked, deps);
  return { ...hit, verified, context: asked.place.context };
}

/** The hit of an entry that stands in this place of the call's scope. Throws where it cannot be written. */
function hitOf(
  found: { level: Hit["level"]; place: string; entry: CacheEntry; kept: KeptAnswer },
  { call, place, crossing }: PlacedCall,
  deps: Pick<CacheDeps, "now">,
): Hit {
  const { level, entry, kept } = found;
  return {
    level,
    entry: entry.origin,
    age_seconds: Math.max(0, Math.floor((deps.now() - entry.at) / 1000)),
    usage: kept.usage,
    place: `${place.scope}/${found.place}`,
    answer: replay(crossing, kept.reply, call),
    ...(kept.dropped !== undefined && { dropped: kept.dropped }),
  };
}

/** Keeps an answer, and gives it with the end of its entry. Undefined where it is not kept. */
async function keep(
  { call, question, place, name, crossing, control }: PlacedCall,
  { bytes, usage, dropped }: GivenAnswer,
  deps: CacheDeps,
): Promise<{ kept: KeptAnswer; until: number } | undefined> {
  const reply = storableReply({ name, crossing }, bytes, call.call.stream);
  const lastsMs = lifetimeMs(control.max_age);
  if (!reply || lastsMs <= 0) return undefined;
  const at = deps.now();
  const head: Omit<CacheEntry, "box"> = { origin: call.request.id, at, until: at + lastsMs };
  try {
    const kept = { question: question.text, reply, usage, ...(dropped !== undefined && { dropped }) };
    await deps.cache.put(place, sealEntry(place, head, kept));
    return { kept, until: head.until };
  } catch (error) {
    deps.log("warn", "cache_unwritten", { request: call.request.id, error: describeError(error) });
    return undefined;
  }
}

/** How long an answer is kept. Without a word of the client a little less or more, so that entries do not end at once. */
function lifetimeMs(max_age: number | undefined): number {
  if (max_age !== undefined) return Math.min(max_age, bounds.keptSecondsMax) * 1000;
  return Math.round(bounds.keptSeconds * 1000 * (0.9 + 0.2 * Math.random()));
}
