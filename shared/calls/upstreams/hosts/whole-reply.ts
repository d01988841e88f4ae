/** A whole reply whose JSON a host has in another form. */
import type { Fields } from "../../../base/json/fields.ts";
import { limits } from "../../../base/limits.ts";
import type { IncomingReply } from "../../../base/platform/http-call.ts";
import { readAll } from "../../../base/platform/http-client.ts";
import { ArrivingBody } from "../../../base/platform/reply-body.ts";

const ignored = { pause() {}, resume() {}, destroy() {} };

/** The reply with what `change` makes of its JSON. One that is no JSON object stays as it is. Rejects like `readAll`. */
export async function changedWhole(
  reply: IncomingReply,
  change: (fields: Fields) => object,
): Promise<IncomingReply> {
  const bytes = await readAll(reply, limits.replyBytesMax);
  return wholeReply(reply, changed(bytes, change));
}

/** A reply that has arrived as a whole. */
export function wholeReply(
  { status, headers }: Pick<IncomingReply, "status" | "headers">,
  bytes: Buffer,
): IncomingReply {
  const body = new ArrivingBody(ignored);
  body.push(bytes);
  body.end();
  return { status, headers, body };
}

function changed(bytes: Buffer, change: (fields: Fields) => object): Buffer {
  try {
    return Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString("utf8")) as Fields)));
  } catch {
    return bytes;
  }
}
