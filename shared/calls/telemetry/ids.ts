/** The ids of traces and spans follow from that of the call, so nobody keeps them. A trace of ours is its 128 bits. */
import { createHash } from "node:crypto";
import { bareId } from "../../base/platform/id.ts";

/** The digits of an id of ours, each of five bits. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The trace that the call of this id begins: 32 hexadecimal digits. */
export function traceIdOf(request: string): string {
  const bits = Array.from(bareId(request), (digit) => BigInt(digits.indexOf(digit)));
  return bits
    .reduce((sum, five) => sum * 32n + five, 0n)
    .toString(16)
    .padStart(32, "0");
}

/** The id of the request that began a trace. Another trace id gives the id of a request that never was. */
export function requestOf(traceId: string): string {
  let rest = BigInt(`0x${traceId}`);
  let bare = "";
  for (let place = 0; place < 26; place++) {
    bare = (digits[Number(rest % 32n)] ?? "") + bare;
    rest /= 32n;
  }
  return `req_${bare}`;
}

/** A span's id, 16 hexadecimal digits, by its `name` and its call's id: a repeated call in one trace has others. */
export function spanIdOf(traceId: string, request: string, name: string): string {
  return createHash("sha256").update(`${traceId} ${request} ${name}`).digest("hex").slice(0, 16);
}
