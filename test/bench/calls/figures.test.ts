/**
 * What a call costs is what `figures.json` says. `npm run call-figures` measures anew and writes it: on purpose, by
 * whoever made a call dearer or cheaper.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type KeptFigures, movedFigures } from "./figures.ts";
import { measureCalls } from "./measure.ts";

const file = join(import.meta.dirname, "figures.json");

const advice = (node: string) => `
A call costs more or less than test/bench/calls/figures.json says, by more than 5 %.
Dearer: find what did it, and take it away if you can. Cheaper, or dearer for a reason: run
\`npm run call-figures\`, and commit the file with the change that moved them.
The figures were measured with Node ${node}; this is ${process.version}.`;

test("a call costs what the kept figures say", async () => {
  const figures = await measureCalls();
  if (process.env.CALL_FIGURES === "write") {
    const kept: KeptFigures = { node: process.version, figures };
    writeFileSync(file, `${JSON.stringify(kept, undefined, 2)}\n`);
  }
  const kept = JSON.parse(readFileSync(file, "utf8")) as KeptFigures;
  expect(movedFigures(kept.figures, figures), advice(kept.node)).toEqual([]);
});

describe("figures that have moved", () => {
  const moved = (before: number, now: number) =>
    movedFigures({ call: { bytes: before } }, { call: { bytes: now } });

  test("are told beyond 5 %, up and down", () => {
    expect(moved(1000, 1050)).toEqual([]);
    expect(moved(1000, 950)).toEqual([]);
    expect(moved(1000, 1051)).toEqual(["call: bytes 1000 → 1051 (+5.1 %)"]);
    expect(moved(1000, 949)).toEqual(["call: bytes 1000 → 949 (−5.1 %)"]);
  });

  test("are told where nothing was before, and where something is gone or new", () => {
    expect(moved(0, 0)).toEqual([]);
    expect(moved(0, 1)).toEqual(["call: bytes 0 → 1"]);
    expect(movedFigures({ call: { bytes: 1 } }, { call: {} })).toEqual(["call: bytes 1 → none"]);
    expect(movedFigures({}, { call: { bytes: 1 } })).toEqual(["call: bytes none → 1"]);
  });
});
