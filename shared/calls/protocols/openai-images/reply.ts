/** Whole lists of pictures, read on the side. */

import { type Fields, isObject, objectsOf } from "../../../base/json/fields.ts";
import { noUsage } from "../../../books/billing/usage.ts";
import { counter, isCount } from "../counters.ts";
import type { ReplyFacts } from "../protocol.ts";
import { readBody } from "../reply-body.ts";
import { detailsOf, objectAt } from "../switches.ts";

/** Reads a list of pictures. Those made are billed: by the provider's count, else by items without an error. */
export function readReply(bytes: Buffer): ReplyFacts {
  const reply = readBody(bytes);
  const generated_images = countImages(reply);
  const items = objectsOf(reply.data);
  return {
    usage: { ...noUsage, generated_images },
    produced: generated_images > 0 || picturesOf(reply) > 0,
    // Pictures may fail one by one: where all did, the answer is an error.
    finish: items.length > 0 && generated_images === 0 && picturesOf(reply) === 0 ? "error" : "none",
    details: detailsOf({ calls: objectAt(objectAt(reply, "usage"), "tool_usage") }),
    output_bytes: 0,
    ...(Array.isArray(reply.data) && { pictures: picturesOf(reply) }),
    failed: isObject(reply.error) && generated_images === 0,
  };
}

function countImages(reply: Fields): number {
  const reported = isObject(reply.usage) ? reply.usage.generated_images : undefined;
  return isCount(reported) ? counter(reported) : picturesOf(reply);
}

function picturesOf(reply: Fields): number {
  return objectsOf(reply.data).filter((item) => !isObject(item.error)).length;
}

/** The reply with `usage.generated_images`, which the v3 path promises (contract §4.6). */
export function withGeneratedImages(bytes: Buffer): Buffer {
  const reply = readBody(bytes);
  const usage = isObject(reply.usage) ? reply.usage : {};
  if (isCount(usage.generated_images)) return bytes;
  return Buffer.from(JSON.stringify({ ...reply, usage: { ...usage, generated_images: countImages(reply) } }));
}
