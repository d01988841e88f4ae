/** Money is never a float: where it is calculated, only times are divided or rounded as numbers. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("../..", import.meta.url).pathname;

/** Rooms and files that calculate with money or points. */
const places = [
  "shared/people/payments",
  "shared/people/orders",
  "shared/edges/operator/orders.ts",
  "shared/edges/store/orders",
  "shared/edges/store/ledger/credits.ts",
  "shared/books/ledger",
  "shared/books/billing/money.ts",
  "shared/books/billing/points.ts",
  "shared/people/invoices",
];

/** What makes a fraction of a number, or hides one. */
const inexact = / \/ |\*\*|Math\.(?:round|trunc|floor|ceil)|parseFloat|toFixed|toPrecision|valueOf\(/;
/** Integers without a bound: division is cut off, and nothing is rounded. */
const exact = /BigInt\(|\bpoints \/ pointsFor\(1,|\b10n \*\*|\bover \/ (?:under|divisor)\b/;
/** Times and tries. */
const time = /Ms\b|_at\b|\bat \/ 1000|tries|timestamp|now\(\)/;

function filesIn(place: string): string[] {
  if (place.endsWith(".ts")) return [place];
  const found = readdirSync(join(root, place), { recursive: true, encoding: "utf8" });
  return found.filter((name) => name.endsWith(".ts")).map((name) => `${place}/${name}`);
}

/** The lines of code that calculate inexactly, and with something else than times. */
function floats(file: string, text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").split("\n");
  const lines = code.map((line) => line.replace(/^\s*\/\/.*$|\/(?:[^/\\]|\\.)+\/[a-z]*\.(?:test|exec)/, ""));
  return lines
    .filter((line) => inexact.test(line) && !exact.test(line) && !time.test(line))
    .map((line) => `${file}: ${line.trim()}`);
}

test("no float arithmetic touches money", () => {
  const found = places
    .flatMap(filesIn)
    .flatMap((file) => floats(file, readFileSync(join(root, file), "utf8")));
  expect(found).toEqual([]);
});

test.each([
  "const yuan = fen / 100;",
  "return Math.round(amount * rate);",
  "const half = Math.floor(amount * 0.5);",
  "amount.toFixed(2)",
])("%s would be found", (line) => expect(floats("f.ts", line)).toEqual([`f.ts: ${line}`]));
