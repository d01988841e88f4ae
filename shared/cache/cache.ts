/** The cache of answers: looks for the answer to a call, and keeps one (shared/cache/README.md "The way of a call"). */
import type { Usage } from "../billing/usage.ts";
import type { JsonBody } from "../json/body.ts";
import { describeError, type Log } from "../platform/log.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { CrossingName } from "../protocols/crossing.ts";
import { bounds } from "./bounds.ts";
import { canonicalOf } from "./canonical.ts";
import { type Bypass, type EligibleCall, type Question, questionOf } from "./eligible.ts";
import type { CacheEntries, CacheEntry } from "./entries.ts";
import { type KeptAnswer, openEntry, sealEntry } from "./entry.ts";
import { type KeyedCall, type KeyedPlace, placeOf } from "./keys.ts";
import { type AnsweredCall, type ReplayedAnswer, replay } from "./replay.ts";
import { storableReply } from "./storable.ts";
import { readCacheControl } from "./wishes.ts";

export interface CacheDeps {
  cache: CacheEntries;
  secrets: Pick<Secrets, "pepper">;
  log: Log;
  now: () => number;
}

/** A call as the cache takes it. */
export type CacheableCall = EligibleCall &
  Omit<KeyedCall, "body" | "user"> &
  Omit<AnsweredCall, "body"> & { request: EligibleCall["request"] & AnsweredCall["request"] };

/** A call that has a cache. */
export interface AskedCall {
  /** Its answer, once it is known; undefined where it has to be asked for. Never rejects. */
  found: Promise<Hit | undefined>;
  /** Keeps the answer that a provider gave. Never rejects. */
  keep(answer: GivenAnswer): Promise<void>;
}

/** An answer that a provider gave, as it left. */
interface GivenAnswer {
  bytes: Buffer;
  usage: Usage;
  /** Names of what the provider was not sent, as the header told them. */
  dropped?: string | undefined;
}

/** An answer out of the cache. */
export interface Hit {
  level: "exact" | "canonical";
  /** The call that got the answer from a provider. */
  entry: string;
  age_seconds: number;
  /** What that call used. */
  usage: Usage;
  /** The place of the entry: scope and name. */
  place: string;
  answer: ReplayedAnswer;
  /** What the header of that call's answer said was dropped. */
  dropped?: string;
}

/** Begins to look for the answer to a call, or says why the call has no cache. Rejects only without a pepper. */
export async function look(call: CacheableCall, deps: CacheDeps): Promise<AskedCall | { bypass: Bypass }> {
  const question = questionOf(call);
  if (typeof question === "string") return { bypass: question };
  const asked = { ...call, body: call.body as JsonBody, user: call.call.user };
  const place = placeOf(asked, question, await deps.secrets.pepper());
  const name = call.protocol.crossing as CrossingName;
  return {
    found: find(asked, { question, place, name }, deps),
    keep: (answer) => keep(asked, { question, place, name }, answer, deps),
  };
}

interface Asked {
  question: Question;
  place: KeyedPlace;
  name: CrossingName;
}

type WholeCall = KeyedCall & AnsweredCall;

async function find(
  call: WholeCall,
  { question, place, name }: Asked,
  deps: CacheDeps,
): Promise<Hit | undefined> {
  const { no_cache, max_age = Number.POSITIVE_INFINITY } = readCacheControl(call.request.headers);
  if (no_cache || max_age === 0) return undefined;
  try {
    const entry = await deps.cache.read(place);
    const now = deps.now();
    if (!entry || entry.until <= now || now - entry.at > max_age * 1000) return undefined;
    const kept = openEntry(place, entry);
    const level = levelOf(question, kept);
    if (!level) return undefined;
    return {
      level,
      entry: entry.origin,
      age_seconds: Math.max(0, Math.floor((now - entry.at) / 1000)),
      usage: kept.usage,
      place: `${place.scope}/${place.name}`,
      answer: replay(name, kept.reply, call),
      ...(kept.dropped !== undefined && { dropped: kept.dropped }),
    };
  } catch (error) {
    deps.log("warn", "cache_unreadable", { request: call.request.id, error: describeError(error) });
    return undefined;
  }
}

/** How the question of an entry equals the one that is asked; undefined where it does not. */
function levelOf({ text, canonical }: Question, { question }: KeptAnswer): Hit["level"] | undefined {
  if (question === text) return "exact";
  return canonical && canonicalOf(question) === canonicalOf(text) ? "canonical" : undefined;
}

async function keep(
  call: WholeCall,
  { question, place, name }: Asked,
  { bytes, usage, dropped }: GivenAnswer,
  deps: CacheDeps,
): Promise<void> {
  const reply = storableReply(name, bytes, call.call.stream);
  const lastsMs = lifetimeMs(readCacheControl(call.request.headers).max_age);
  if (!reply || lastsMs <= 0) return;
  const at = deps.now();
  const head: Omit<CacheEntry, "box"> = { origin: call.request.id, at, until: at + lastsMs };
  try {
    const kept = { question: question.text, reply, usage, ...(dropped !== undefined && { dropped }) };
    await deps.cache.put(place, sealEntry(place, head, kept));
  } catch (error) {
    deps.log("warn", "cache_unwritten", { request: call.request.id, error: describeError(error) });
  }
}

/** How long an answer is kept. Without a word of the client a little less or more, so that entries do not end at once. */
function lifetimeMs(max_age: number | undefined): number {
  if (max_age !== undefined) return Math.min(max_age, bounds.keptSecondsMax) * 1000;
  return Math.round(bounds.keptSeconds * 1000 * (0.9 + 0.2 * Math.random()));
}
