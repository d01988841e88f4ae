/** The condition of every write on the record of a key that was read before. */
import type { KeyRecord } from "../../books/accounts/account.ts";
import { toAttribute } from "./dynamodb/attributes.ts";
import { absent, type Condition, equals } from "./dynamodb/expressions.ts";

/**
 * A key's record is at this hash, has this revision, and stays on the first shard or not, as it was read. That is all of it,
 * because every change is another revision but the end of `first_until`.
 */
export function asRead(read: Pick<KeyRecord, "hash" | "revision" | "first_until">): Condition[] {
  return [
    equals("hash", toAttribute(read.hash)),
    is("revision", read.revision),
    is("first_until", read.first_until),
  ];
}

function is(name: string, value: number | undefined): Condition {
  return value === undefined ? absent(name) : equals(name, toAttribute(value));
}
