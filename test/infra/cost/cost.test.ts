/** What a load costs: by hand, by the table that the bench fills, and as the operator is told it. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { crossingOf, fargateLines } from "#infra/cost/fargate.ts";
import { assumed, idleLines, loadLines, type MonthlyLoad, pollsWithin } from "#infra/cost/load.ts";
import { batchAt } from "#infra/cost/metering.ts";
import { readParts } from "#infra/cost/parts.ts";
import { type PriceName, prices } from "#infra/cost/prices.ts";
import { plainCall, recording } from "#infra/cost/units.ts";
import { dollars, idempotencyWrites } from "#test/bench/dollars.ts";
import { runHere } from "#test/support/streams.ts";

const streams: MonthlyLoad = {
  callsPerSecond: 10,
  seconds: 5,
  isVideo: false,
  answerBytes: 100 * 1024,
  memoryMb: 512,
};
const month = 730 * 3600;
const calls = 10 * month;

const usdOf = (load: MonthlyLoad, what: string) => loadLines(load).find((line) => line.what === what)?.usd;

/** The cells of a row of a table of the bench's page. */
function rowOf(name: string): string[] {
  const text = readFileSync(new URL("../../bench/README.md", import.meta.url), "utf8");
  const row = text.split("\n").find((line) => line.startsWith(`| ${name}`)) ?? "";
  return row
    .split("|")
    .slice(2, -1)
    .map((cell) => cell.trim());
}

test("the units give the table that the bench has printed", () => {
  const withKey = { ...plainCall, writes: plainCall.writes + idempotencyWrites };
  for (const [name, units] of [
    ["plain", plainCall],
    ["with an `Idempotency-Key`", withKey],
  ] as const) {
    const cells = [
      dollars(units, recording, 1),
      dollars(units, recording, 10),
      dollars(units, recording, 10, 10),
    ];
    // 3.875 is 3.88 on paper, and a hair less as a floating-point number.
    expect(rowOf(name)).toEqual(cells.map((cell) => `$${(cell + 1e-9).toFixed(2)}`));
  }
});

test("a million calls at a rate cost what the bench's page says", () => {
  const at = (rate: number) => dollars(plainCall, recording, batchAt(rate)).toFixed(2);
  const text = readFileSync(new URL("../../bench/README.md", import.meta.url), "utf8").replaceAll("\n", " ");
  expect(text).toContain(`calls cost $${at(1)}; at 10 a second $${at(10)}, and at 100 a second $${at(100)}.`);
});

test("a batch has no more events than an invocation gets", () => {
  expect(batchAt(1)).toBe(1.2);
  expect(batchAt(100_000)).toBe(380);
});

test("streams by hand", () => {
  expect(usdOf(streams, "calls")).toBeCloseTo((calls * 0.2) / 1e6, 6);
  const time = "their time, waiting included";
  expect(usdOf(streams, time)).toBeCloseTo(calls * 5 * 0.5 * 0.0000133334, 6);
  expect(usdOf({ ...streams, memoryMb: 256 }, time)).toBeCloseTo(calls * 5 * 0.25 * 0.0000133334, 6);
  // Batches of three: 3 units of the gateway, 2 of the entry, 2/3 of the rollup.
  expect(usdOf(streams, "writes of meters and ledger")).toBeCloseTo((calls * (5 + 2 / 3) * 0.625) / 1e6, 6);
  expect(usdOf(streams, "usage events")).toBeCloseTo((calls * (1 + 2 / 3) * 0.5) / 1e6, 6);
  expect(usdOf(streams, "answers")).toBeCloseTo(((calls * 102_400) / 2 ** 30) * 0.09, 6);
  expect(usdOf(streams, "traces")).toBeCloseTo(((month + 0.05 * Math.max(0, calls - month)) * 5) / 1e6, 6);
});

test("twice the calls cost less than twice as much, and at least as much", () => {
  const sum = (load: MonthlyLoad) => loadLines(load).reduce((total, { usd }) => total + usd, 0);
  for (const callsPerSecond of [0.01, 0.5, 3, 40, 700, 5000]) {
    const [once, twice] = [callsPerSecond, 2 * callsPerSecond].map((rate) =>
      sum({ ...streams, callsPerSecond: rate }),
    );
    expect(twice).toBeGreaterThan(once ?? 0);
    expect(twice).toBeLessThanOrEqual(2 * (once ?? 0) * (1 + 1e-12));
  }
});

test("a video is looked at as its worker waits, and its call is short", () => {
  expect([1, 2, 3, 8, 180].map(pollsWithin)).toEqual([1, 1, 2, 3, 8]);
  const videos = { ...streams, seconds: 180, isVideo: true };
  expect(usdOf(videos, "state transitions")).toBeCloseTo((calls * 26 * 25) / 1e6, 4);
  const held = calls * assumed.createSeconds * 0.5 * 0.0000133334;
  expect(usdOf(videos, "their time, waiting included")).toBeCloseTo(held, 6);
});

test("every price is above nothing, and says when and where it was read", () => {
  for (const [name, { usd, read, source, per }] of Object.entries(prices)) {
    expect(`${read} ${source} ${per}`, name).toMatch(/^2026-\d\d-\d\d \S.* \S/);
    expect(usd, name).toBeGreaterThan(0);
  }
});

const document = readFileSync(new URL("../../../infra/cost/cost.md", import.meta.url), "utf8");

test("infra/cost/cost.md has loads with what they cost", () => {
  const rows = document.matchAll(/^\| ([\d,]+) \| (\d+) s \| [\d,]+ \| \$([\d,]+) \| \$([\d.]+) \|$/gm);
  const seen = [...rows].map(([, ...cells]) => cells.map((cell) => Number(cell.replaceAll(",", ""))));
  expect(seen).toHaveLength(5);
  for (const [callsPerSecond = 0, seconds = 0, usd, ofMillion] of seen) {
    const lines = loadLines({ ...streams, callsPerSecond, seconds });
    const total = lines.reduce((sum, line) => sum + line.usd, 0);
    expect(Math.round(total)).toBe(usd);
    expect(((1e6 * total) / (callsPerSecond * month)).toFixed(2)).toBe(ofMillion?.toFixed(2));
  }
});

const monthOf = (linesOf: typeof loadLines, load: MonthlyLoad) =>
  linesOf(load).reduce((sum, { usd }) => sum + usd, 0);

test("infra/cost/cost.md has what a service costs, and from where it costs less", () => {
  const rows = document.matchAll(/^\| ([\d,]+) \| \$([\d,]+) \| \$([\d.]+) \|$/gm);
  const seen = [...rows].map(([, ...cells]) => cells.map((cell) => Number(cell.replaceAll(",", ""))));
  expect(seen).toHaveLength(4);
  for (const [callsPerSecond = 0, usd, ofMillion] of seen) {
    const total = monthOf(fargateLines, { ...streams, callsPerSecond });
    expect([Math.round(total), ((1e6 * total) / (callsPerSecond * month)).toFixed(2)]).toEqual([
      usd,
      ofMillion?.toFixed(2),
    ]);
  }
  const at = (linesOf: typeof loadLines) => (callsPerSecond: number) =>
    monthOf(linesOf, { ...streams, callsPerSecond });
  const crossing = crossingOf(at(loadLines), at(fargateLines)) ?? 0;
  expect(document).toContain(`costs less from ${crossing.toFixed(2)} calls a second`);
  expect(at(fargateLines)(crossing * 1.1)).toBeLessThan(at(loadLines)(crossing * 1.1));
  expect(crossingOf(at(fargateLines), at(loadLines))).toBeUndefined();
});

test("a service has tasks by their CPU or by their calls in flight, and never fewer than two", () => {
  const tasks = (callsPerSecond: number, seconds: number) => {
    const lines = fargateLines({ ...streams, callsPerSecond, seconds });
    // A task has one GB.
    return (lines.find(({ what }) => what === "their memory")?.quantity ?? 0) / 730;
  };
  expect(tasks(1, 5)).toBeCloseTo(2, 6);
  expect(tasks(1_000, 5)).toBeCloseTo((1_000 * 0.007141) / 0.5 / 0.6, 6);
  expect(tasks(100, 60)).toBeCloseTo((100 * 60) / 500, 6);
});

test("infra/cost/cost.md has every price", () => {
  for (const name of Object.keys(prices) as PriceName[]) {
    const { per, read } = prices[name];
    expect(document, name).toMatch(
      new RegExp(`\\| ${per.replaceAll(/[.*+?^$()]/g, "\\$&")} \\|.*\\| ${read} \\|`),
    );
  }
});

test("the operator is told the sums, and what is assumed", async () => {
  const words = "cost --calls-per-second 10 --seconds 5 --model openai/gpt-5.4-mini".split(" ");
  const { code, out, error } = await runHere(words);
  expect([code, error]).toEqual([0, ""]);
  expect(out).toMatch(/X-Ray +traces +3,810,600 +19\.05 +computed/);
  expect(out).toContain("seconds in which a hundred events are settled: 0.1\n");
  const { out: json } = await runHere([...words, "--json"]);
  const { sums, idle, lines } = JSON.parse(json);
  const total = [...loadLines(streams)].reduce((sum, { usd }) => sum + usd, 0);
  expect(sums.load_usd).toBeCloseTo(total, 6);
  expect(sums.usd_of_a_million_calls).toBeCloseTo((1e6 * total) / calls, 6);
  expect(lines).toHaveLength(loadLines(streams).length);
  expect(idle).toEqual(JSON.parse(JSON.stringify(idleLines(readParts().withConsole))));
  const without = idleLines(readParts().withoutConsole).reduce((sum, { usd }) => sum + usd, 0);
  expect(sums.idle_without_console_usd).toBeCloseTo(without, 6);
});

test("infra/cost/cost.md says what a stage costs that nobody calls", () => {
  const { withConsole, withoutConsole } = readParts();
  for (const parts of [withConsole, withoutConsole]) {
    const sum = idleLines(parts).reduce((total, { usd }) => total + usd, 0);
    expect(document).toContain(`$${sum.toFixed(2)}`);
  }
  expect(idleLines(withoutConsole).some(({ what }) => what.includes("reconciler"))).toBe(false);
});

test.each([
  ["cost --seconds 5 --model openai/gpt-5.4-mini", "--calls-per-second is needed"],
  ["cost --calls-per-second 0 --seconds 5 --model x", "--calls-per-second takes a number above 0"],
  ["cost --calls-per-second 1 --seconds 5 --model openai/gpt-5.4-minu", "did you mean openai/gpt-5.4-mini?"],
])("%s is refused: %s", async (line, said) => {
  const { code, error } = await runHere(line.split(" "));
  expect(code).toBe(2);
  expect(error).toContain(said);
});

test("a line on the event bus costs what the page says", () => {
  const usd = (name: PriceName) => prices[name].usd;
  // Six writes, of which the index makes eight units more, as test/shared/edges/jobs/news-events.test.ts counts them.
  const line = (6 + 8) * usd("writeUnit") + 5 * usd("readUnit") + usd("busEvent");
  const page = readFileSync(new URL("../../../infra/cost/cost.md", import.meta.url), "utf8");
  expect(page).toContain(`A line on it is $${(line * 1e6).toFixed(2)} a million`);
});
