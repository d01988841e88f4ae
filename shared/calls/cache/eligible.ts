/** Whether a call may use the cache, and what it asks (shared/calls/cache/README.md "Which calls"). */

import type { FormBody } from "../../base/http/form.ts";
import type { HttpRequest } from "../../base/http/message.ts";
import type { ByteRange, JsonBody } from "../../base/json/body.ts";
import { asText, type Fields, isAbsent, isObject } from "../../base/json/fields.ts";
import { isText } from "../../base/json/long-text.ts";
import type { KeyRecord } from "../../books/accounts/account.ts";
import type { ChatCall } from "../../books/billing/call.ts";
import type { InputSize } from "../chat/measure.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { bounds } from "./bounds.ts";
import { isLiteral } from "./canonical.ts";
import { families, type RequestFamily } from "./families.ts";
import { locate } from "./locate.ts";
import { cacheWish, readCacheControl } from "./wishes.ts";

/** Why a call does not use the cache, as its answer says it. */
export type Bypass =
  | "off"
  | "no-store"
  | "kind"
  | "choices"
  | "tools"
  | "media"
  | "stored"
  | "field"
  | "size"
  | "question"
  | "auto";

/** The part of a call on which it depends. */
export interface EligibleCall {
  request: Pick<HttpRequest, "headers">;
  principal: { key: Pick<KeyRecord, "cache"> };
  protocol: Protocol;
  body: JsonBody | FormBody;
  call: ChatCall;
  size: InputSize;
}

export interface Question {
  text: string;
  place: ByteRange;
  /** Whether an answer to a text of the same canonical form will do. */
  canonical: boolean;
  /** Whether the answer to a text that means the same will do. */
  semantic: boolean;
}

/** What a call asks, or why it has no cache. */
export function questionOf(call: EligibleCall): Question | Bypass {
  const { request, principal, protocol, body } = call;
  const wish = cacheWish(request.headers, principal.key);
  if (wish === "off") return "off";
  if (readCacheControl(request.headers).no_store) return "no-store";
  if (!protocol.crossing || protocol.kind !== "chat" || !("members" in body)) return "kind";
  const family = families[protocol.crossing];
  const reason =
    bypassOfCall(call) ?? bypassOfFields(body.outline, family) ?? bypassOfTurns(body.outline, family);
  if (reason) return reason;
  if (body.bytes.length > bounds.bodyBytesMax) return "size";
  if (wish === "auto" && !asksForSameness(family.settings(body.outline))) return "auto";
  const place = locate(body, family);
  if (!place) return "question";
  if (place.end - place.start > bounds.questionBytesMax) return "size";
  const text = JSON.parse(body.bytes.toString("utf8", place.start, place.end)) as string;
  if (text.trim() === "") return "question";
  const canonical = wish !== "exact" && isAlone(body.outline, family) && !isLiteral(text);
  // Half of a surrogate pair is no Unicode: an embedder would see the same character in its place for all of them.
  const semantic = canonical && wish === "semantic" && text.isWellFormed();
  return { text, place, canonical, semantic };
}

function bypassOfCall({ call, size }: EligibleCall): Bypass | undefined {
  if (call.choices > 1) return "choices";
  if (size.provider_tools) return "tools";
  if (call.unseen_input || size.stored) return "stored";
  return size.pictures > 0 || size.files > 0 ? "media" : undefined;
}

function bypassOfFields(body: Fields, family: RequestFamily): Bypass | undefined {
  const { members, settings, settingMembers, spelled, storesUnlessTold } = family;
  if (body.store === true || (storesUnlessTold && body.store !== false)) return "stored";
  return (
    unknownMember(body, members, spelled) ??
    (settingMembers && unknownMember(settings(body), settingMembers, spelled))
  );
}

/** The turns are text alone, and nobody but a user asks. */
function bypassOfTurns(body: Fields, family: RequestFamily): Bypass | undefined {
  const turns = body[family.turns];
  if (isText(turns)) return undefined;
  if (!Array.isArray(turns)) return "question";
  for (const turn of turns) {
    const reason = isObject(turn) ? bypassOfTurn(turn, family) : "field";
    if (reason) return reason;
  }
  const last = turns.at(-1) as Fields | undefined;
  return last && family.userRoles.has(roleOf(last)) ? undefined : "question";
}

function bypassOfTurn(turn: Fields, family: RequestFamily): Bypass | undefined {
  const unknown = unknownMember(turn, family.turnMembers, family.spelled);
  if (unknown) return unknown;
  if (!family.roles.has(roleOf(turn))) return reasonFor(roleOf(turn));
  if (!isAbsent(turn.type) && turn.type !== "message") return reasonFor(asText(turn.type));
  const content = turn[family.content];
  if (isText(content)) return undefined;
  if (!Array.isArray(content)) return "field";
  for (const part of content) {
    if (!isObject(part)) return "field";
    const reason = unknownMember(part, family.partMembers, family.spelled);
    if (reason) return reason;
    if (!family.textTypes.has(asText(part.type))) return reasonFor(asText(part.type));
    if (!isText(part.text)) return "field";
  }
  return undefined;
}

/** Whether the question stands alone. Else earlier words may say what to do with the text, such as to correct it. */
function isAlone(body: Fields, family: RequestFamily): boolean {
  const turns = body[family.turns];
  const content = Array.isArray(turns) ? (turns[0] as Fields)[family.content] : "";
  if (Array.isArray(turns) && turns.length !== 1) return false;
  if (Array.isArray(content) && content.length !== 1) return false;
  const said = [...Object.entries(body), ...Object.entries(family.settings(body))];
  return !said.some(([name, value]) => family.guides.has(family.spelled(name)) && !saysNothing(value));
}

/** Who speaks in a turn. Gemini's turns without a role are the user's. */
function roleOf({ role }: Fields): string {
  return isAbsent(role) ? "user" : asText(role);
}

/** Why the first member that is not among the known ones is in the way. One that says nothing is not. */
function unknownMember(
  fields: Fields,
  known: ReadonlySet<string>,
  spelled: RequestFamily["spelled"],
): Bypass | undefined {
  for (const name of Object.keys(fields)) {
    if (!known.has(spelled(name)) && !saysNothing(fields[name])) return reasonFor(name);
  }
  return undefined;
}

function saysNothing(value: unknown): boolean {
  return isAbsent(value) || value === false || (Array.isArray(value) && value.length === 0);
}

function reasonFor(name: string): Bypass {
  if (/tool|function|search|mcp|computer|code_interpreter|container/i.test(name)) return "tools";
  if (/image|audio|video|file|media|inline|document|modalit|speech/i.test(name)) return "media";
  if (/previous|conversation|prompt$|stored|cached|background/i.test(name)) return "stored";
  return "field";
}

/** The client wants the same answer to the same question: it fixed the seed, or left little to chance. */
function asksForSameness({ temperature, seed }: Fields): boolean {
  if (!isAbsent(seed)) return true;
  return typeof temperature === "number" && temperature <= bounds.temperatureMax;
}
