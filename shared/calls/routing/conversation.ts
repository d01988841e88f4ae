/** The conversation that a request belongs to. All its turns should reach one channel (README.md "The order"). */
import { hash } from "node:crypto";
import type { FormBody } from "../../base/http/form.ts";
import type { HttpRequest } from "../../base/http/message.ts";
import type { JsonBody } from "../../base/json/body.ts";
import { asText, type Fields, isObject } from "../../base/json/fields.ts";
import { headOf, isText, type Text, tailOf } from "../../base/json/long-text.ts";
import { isAttribution } from "../chat/attribution.ts";

/** Headers in which clients name their session. The first that is there counts. */
const sessionHeaders = ["x-session-id", "x-claude-code-session-id", "session_id", "x-session-affinity"];
/** Members that hold the system prompt, and those that hold the turns. */
const systemMembers = ["system", "instructions", "systemInstruction", "system_instruction"];
const turnMembers = ["messages", "input", "contents"];
const systemRoles = new Set(["system", "developer"]);
/** Keys under which no words of a message stand, or some that change from turn to turn: a cache's mark moves on. */
const wordless = new Set(["type", "role", "id", "status", "cache_control", "detail"]);

/** So many UTF-16 units of a text's beginning and of its end tell it from others. */
const tellingUnits = 1_024;
/** Texts of a system prompt, or of a message, that are looked at. */
const textsMax = 32;

/** What of a request tells its conversation. */
export interface Conversing {
  /** The caller's organization: no two organizations share a conversation. */
  organization: string;
  headers: HttpRequest["headers"];
  body: JsonBody | FormBody;
}

/** A short name of the request's conversation, the same on each turn; undefined for a request without a text. */
export function conversationOf({ organization, headers, body }: Conversing): string | undefined {
  const fields = "outline" in body ? body.outline : {};
  const named = sessionHeaders.map((name) => headers[name]).find(Boolean) ?? asText(fields.prompt_cache_key);
  if (named !== "") return nameOf([organization, "named", named]);
  const opener = openerOf(fields);
  return opener.length === 0 ? undefined : nameOf([organization, "opener", ...opener]);
}

function nameOf(parts: readonly string[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url").slice(0, 22);
}

/** The texts with which a conversation opens: system prompt and first message of the user. Tools may come later. */
function openerOf(fields: Fields): string[] {
  const opener = systemMembers.flatMap((name) => textsOf(fields[name]));
  const turns = turnMembers
    .map((name) => fields[name])
    .find((value) => value !== undefined && value !== null);
  if (isText(turns)) return [...opener, telling(turns)];
  if (!Array.isArray(turns)) return opener;
  for (const turn of turns) {
    if (isText(turn)) return [...opener, telling(turn)];
    if (!isObject(turn)) continue;
    const role = asText(turn.role);
    const texts = systemRoles.has(role) || role === "user" || role === "" ? textsOf(turn) : [];
    opener.push(...texts);
    // Gemini's messages may have no role; they are the user's then.
    if (role === "user" || (role === "" && texts.length > 0)) break;
  }
  return opener;
}

/** What tells the first texts in a value. */
function textsOf(value: unknown): string[] {
  const texts: string[] = [];
  const visit = (node: unknown): void => {
    if (texts.length === textsMax) return;
    if (isText(node)) texts.push(...(isAttribution(headOf(node, tellingUnits)) ? [] : [telling(node)]));
    else if (Array.isArray(node)) for (const item of node.slice(0, textsMax)) visit(item);
    else if (isObject(node)) {
      for (const name of Object.keys(node)) if (!wordless.has(name)) visit(node[name]);
    }
  };
  visit(value);
  return texts;
}

/** A text's beginning and end. What is between is neither decoded nor hashed: a document may have a megabyte. */
function telling(text: Text): string {
  return `${headOf(text, tellingUnits)}\n${tailOf(text, tellingUnits)}`;
}
