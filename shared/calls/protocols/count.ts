import { isObject } from "../../base/json/fields.ts";
import type { ReplyFacts } from "./protocol.ts";
import { readBody } from "./reply-body.ts";

/** A reader of counts of tokens, under `name`. A reply without that number is a failure, whatever its status. */
export function countReader(name: string): (bytes: Buffer) => ReplyFacts {
  return (bytes) => {
    const reply = readBody(bytes);
    const failed = !isObject(reply) || !Number.isSafeInteger(reply[name]);
    return { usage: undefined, produced: !failed, finish: "none", output_bytes: 0, failed };
  };
}
