/**
 * Solves the challenge before another message, in a worker (shared/people/identity/sms/README.md "The challenge").
 * SHA-256 is our own: the browser gives each hash as a promise, and waiting for that takes longer than the hash.
 */

/** What the page sends to the worker. */
export interface HumanTask {
  challenge: string;
  bits: number;
}

/**
 * The answer to a challenge: the challenge, a dot and a number in base 36, whose SHA-256 begins with so many zero bits.
 * A challenge is ASCII, and answers have at most 55 characters. Throws `RangeError` for one that is longer.
 */
export function solve({ challenge, bits }: HumanTask): string {
  const block = new Uint32Array(16);
  for (let count = 0; ; count++) {
    const answer = `${challenge}.${count.toString(36)}`;
    fill(block, answer);
    if (hasZeros(digest(block), bits)) return answer;
  }
}

/** The text as the one block of a SHA-256 (FIPS 180-4): the bytes, a bit, zeros and the length in bits. */
function fill(block: Uint32Array, text: string): void {
  if (text.length > 55) throw new RangeError("the challenge is too long for one block");
  block.fill(0);
  for (let at = 0; at < text.length; at++) put(block, at, text.charCodeAt(at));
  put(block, text.length, 0x80);
  block[15] = text.length * 8;
}

function put(block: Uint32Array, at: number, byte: number): void {
  block[at >> 2] = (block[at >> 2] ?? 0) | (byte << (24 - (at & 3) * 8));
}

function hasZeros(hash: Uint32Array, bits: number): boolean {
  let left = bits;
  for (const word of hash) {
    const zeros = Math.clz32(word);
    if (zeros >= left) return true;
    if (zeros < 32) return false;
    left -= 32;
  }
  return left <= 0;
}

/** The first 32 bits of the fraction of a root of each of the first primes (FIPS 180-4). */
function fractions(count: number, root: (prime: number) => number): Uint32Array {
  const found: number[] = [];
  for (let each = 2; found.length < count; each++) {
    let isPrime = true;
    for (let by = 2; by * by <= each; by++) if (each % by === 0) isPrime = false;
    if (isPrime) found.push((root(each) % 1) * 2 ** 32);
  }
  return new Uint32Array(found);
}

const roundConstants = fractions(64, Math.cbrt);
const initial = fractions(8, Math.sqrt);

const schedule = new Uint32Array(64);
const hash = new Uint32Array(8);

/** The hash of one block, as eight words. The next call overwrites them. */
function digest(block: Uint32Array): Uint32Array {
  extend(block);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = initial;
  for (let round = 0; round < 64; round++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const choice = (e & f) ^ (~e & g);
    const one = (h + s1 + choice + (roundConstants[round] ?? 0) + (schedule[round] ?? 0)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + s0 + majority) | 0;
  }
  hash.set([a, b, c, d, e, f, g, h]);
  for (let at = 0; at < 8; at++) hash[at] = (hash[at] ?? 0) + (initial[at] ?? 0);
  return hash;
}

/** The words of a block, and 48 more that are made of them. */
function extend(block: Uint32Array): void {
  schedule.set(block);
  for (let at = 16; at < 64; at++) {
    const before = schedule[at - 15] ?? 0;
    const last = schedule[at - 2] ?? 0;
    const s0 = turn(before, 7) ^ turn(before, 18) ^ (before >>> 3);
    const s1 = turn(last, 17) ^ turn(last, 19) ^ (last >>> 10);
    schedule[at] = (schedule[at - 16] ?? 0) + s0 + (schedule[at - 7] ?? 0) + s1;
  }
}

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** A worker's own global, as far as it is used here. */
interface WorkerGlobal {
  WorkerGlobalScope?: unknown;
  onmessage?: (event: { data: HumanTask }) => void;
  postMessage?: (answer: string) => void;
}

const worker = globalThis as unknown as WorkerGlobal;
if (worker.WorkerGlobalScope !== undefined) {
  worker.onmessage = ({ data }) => worker.postMessage?.(solve(data));
}
