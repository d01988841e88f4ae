import { isObject } from "../../base/json/fields.ts";
import type { ReplyFacts } from "./protocol.ts";
import { readBody } from "./reply-body.ts";

/**
 * A reader of replies to counts of tokens. The number stands under `name`; a reply without it is a failure, whatever
 * its status.
 */
export function countReader(name: string): (bytes: Buffer) => ReplyFacts {
  return (bytes) => {
    const reply = readBody(bytes);
    const failed = !isObject(reply) || !Number.isSafeInteger(reply[name]);
    return { usage: undefined, produced: !failed, finish: "none", output_bytes: 0, failed };
  };
}
