/** The JSON body of a request whose members a host has in other places. */
import { type Edit, editMembers, takeOut } from "../../../base/json/edit.ts";
import type { Fields } from "../../../base/json/fields.ts";
import type { HostedRequest } from "./host.ts";

/** The object of a body in one piece, without white space in front of it. */
export function objectOf(body: HostedRequest["body"]): Buffer {
  const pieces = typeof body === "string" ? [Buffer.from(body)] : body instanceof Uint8Array ? [body] : body;
  const bytes = Buffer.concat(pieces);
  return bytes.subarray(Math.max(0, bytes.indexOf("{")));
}

/** The members of a body that the gateway has checked before. */
export function jsonOf(body: HostedRequest["body"]): Fields {
  return JSON.parse(objectOf(body).toString("utf8")) as Fields;
}

/** An object without some members, and with `added` in front. `more` edits others. What is left keeps its bytes. */
export function withMoved(
  object: Buffer,
  moved: readonly string[],
  added: object,
  more: Readonly<Record<string, Edit>> = {},
): Buffer {
  const out = [...moved, ...Object.keys(added)].map((name) => [name, takeOut]);
  const edited = editMembers(object, { ...Object.fromEntries(out), ...more });
  const front = JSON.stringify(added).slice(0, -1);
  const rest = edited.subarray(1);
  const isAlone = front === "{" || /^\s*\}/.test(rest.toString("latin1", 0, 64));
  return Buffer.concat([Buffer.from(isAlone ? front : `${front},`), rest]);
}
