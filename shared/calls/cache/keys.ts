/** Where the answer to a call is kept, and the key that opens it (shared/calls/cache/README.md "Who may hit what"). */
import type { KeyObject } from "node:crypto";
import type { HttpRequest } from "../../base/http/message.ts";
import type { JsonBody } from "../../base/json/body.ts";
import { deriveKey, hmacUnder, keyObject } from "../../base/platform/encryption.ts";
import type { Principal } from "../../books/accounts/account.ts";
import type { Model } from "../../books/catalog/catalog.ts";
import { withoutAttribution } from "../chat/attribution.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { bounds } from "./bounds.ts";
import { canonicalOf } from "./canonical.ts";
import type { Question } from "./eligible.ts";
import type { EntryPlace } from "./entries.ts";

/** A call whose question is known. */
export interface KeyedCall {
  request: Pick<HttpRequest, "headers">;
  principal: Principal;
  protocol: Protocol;
  model: Model;
  body: JsonBody;
  /** The end user, or null. */
  user: string | null;
}

/** A place, and the key of what is kept there. */
export interface KeyedPlace extends EntryPlace {
  key: Buffer;
}

/** Where the answer to a call is kept. */
export interface QuestionPlace extends KeyedPlace {
  /** Everything of the call but its question, in this scope. Questions of one context may mean the same. */
  context: string;
}

/** 128 bits: two questions, or two scopes, never have the same name. */
const nameBytes = 16;

/** The place of the answer to a question. Whatever may change the answer is part of it. */
export function placeOf(call: KeyedCall, question: Question, pepper: string): QuestionPlace {
  const { secret, place, box } = scopeOf(call, pepper);
  const asked = question.canonical ? ["canonical", canonicalOf(question.text)] : ["exact", question.text];
  const context = contextOf(call, question, secret);
  // JSON escapes half of a surrogate pair. As UTF-8, all of them would be the same character.
  const name = hmacUnder(secret).update(context).update(JSON.stringify(asked)).digest();
  return { scope: place, name: short(name), key: box, context: short(context) };
}

function short(digest: Buffer): string {
  return digest.toString("base64url", 0, nameBytes);
}

/** Those who may have the same answers. */
interface Scope {
  /** What names all that they ask. */
  secret: KeyObject;
  place: string;
  /** The key of what is kept there. */
  box: Buffer;
}

/** Scopes derived from the process's one pepper, by whose they are. One costs as much as all other hashes of a call. */
let known: { pepper: string; secret: KeyObject; scopes: Map<string, Scope> } | undefined;

function scopesUnder(pepper: string): NonNullable<typeof known> {
  if (known?.pepper !== pepper)
    known = { pepper, secret: keyObject(deriveKey(pepper, "cached answers")), scopes: new Map() };
  return known;
}

function scopeOf({ principal: { key, organization }, user }: KeyedCall, pepper: string): Scope {
  const { secret: all, scopes } = scopesUnder(pepper);
  const whose = [organization.id, key.project, key.id, user ?? "", organization.cache_epoch ?? 0];
  const text = JSON.stringify(whose);
  const derived = scopes.get(text);
  if (derived) return derived;
  const secret = keyObject(hmacUnder(all).update(text).digest());
  const place = short(hmacUnder(secret).update("place").digest());
  const scope = { secret, place, box: hmacUnder(secret).update("box").digest() };
  if (scopes.size >= bounds.scopesMax) scopes.clear();
  scopes.set(text, scope);
  return scope;
}

/** Members that do not change an answer, or stand in the scope or in the model. */
const apart = new Set(["model", "stream", "stream_options", "user"]);

/** Everything but the question that an answer may depend on, byte by byte. The order of members says nothing. */
function contextOf(call: KeyedCall, { place }: Question, scope: KeyObject): Buffer {
  const { body, model, protocol } = call;
  const hash = hmacUnder(scope);
  const channels = model.channels.map((channel) => [channel.provider, channel.model]);
  hash.update(JSON.stringify([model.id, channels, protocol.name, wishesOf(call)]));
  const members = body.members.filter(({ key }) => !apart.has(key));
  members.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.value_start - b.value_start));
  for (const { key, value_start, value_end } of members) {
    hash.update(`\n${JSON.stringify(key)}:`);
    const asks = value_start <= place.start && place.end <= value_end;
    if (!asks) hash.update(withoutAttribution(body.bytes.subarray(value_start, value_end)));
    else {
      hash.update(body.bytes.subarray(value_start, place.start)).update("\n");
      hash.update(body.bytes.subarray(place.end, value_end));
    }
  }
  return hash.digest();
}

/** Headers that neither change an answer nor what a provider is sent. */
const silent = new Set(["x-gateway-cache", "x-gateway-usage", "x-gateway-fallback", "x-gateway-tags"]);

/** Headers that a provider sees, and wishes that may change what it is sent. */
function wishesOf({ request: { headers }, protocol }: KeyedCall): unknown[] {
  const own = Object.entries(headers).filter(
    ([name, value]) => name.startsWith("x-gateway-") && !silent.has(name) && value !== undefined,
  );
  return [Object.entries(protocol.forwardHeaders?.(headers) ?? {}).sort(), own.sort()];
}
