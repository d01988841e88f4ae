/** What people are shown: values in lines and columns, and how far a long command is. */
import { describe, expect, test } from "vitest";
import { type Paint, render } from "#infra/operator/output.ts";
import { counted, progressOn } from "#infra/operator/progress.ts";

const plain: Paint = (_, text) => text;
const marked: Paint = (style, text) => `<${String(style)}>${text}</>`;

describe("a value", () => {
  test("is a line for each field, nested ones indented", () => {
    const value = {
      id: "org_1",
      wallet: { balance_points: "5", shards: 1 },
      subscription: null,
      permissions: [],
    };
    expect(render(value, plain)).toBe(
      [
        "id: org_1",
        "wallet:",
        "  balance_points: 5",
        "  shards: 1",
        "subscription: -",
        "permissions: none",
      ].join("\n"),
    );
  });

  test("that is a list has columns as wide as their widest cell, and nothing behind the last", () => {
    const rows = [
      { time: null, step: "held", detail: "a" },
      { time: "12:30", step: "x", detail: "longer" },
    ];
    expect(render(rows, plain).split("\n")).toEqual([
      "time   step  detail",
      "-      held  a",
      "12:30  x     longer",
    ]);
    expect(render([], plain)).toBe("none");
  });

  test("has its heads in bold, and a verdict that failed in red", () => {
    const report = {
      ok: false,
      invariants: [
        { name: "a", holds: true },
        { name: "b", holds: false },
      ],
    };
    expect(render(report, marked).split("\n")).toEqual([
      "ok: <red>false</>",
      "<bold>invariants:</>",
      "  <bold>name  holds</>",
      "  a     true",
      "  b     <red>false</>",
    ]);
  });
});

describe("progress", () => {
  const clock = { now: 0 };
  const lines: string[] = [];
  const terminal = { isTTY: true, write: (text: string) => Boolean(lines.push(text)) };

  test("shows its counts ten times a second at most, and goes away", async () => {
    const line = progressOn(terminal, () => clock.now);
    for (let entry = 0; entry < 1_500; entry++) line.count("entries");
    expect(lines).toEqual([]);
    clock.now += 100;
    line.count("meters");
    line.count("meters");
    expect(lines).toEqual(["\r\x1b[K1,500 entries, 1 meters …"]);
    line.clear();
    line.clear();
    expect(lines.slice(1)).toEqual(["\r\x1b[K"]);
  });

  test("says at once what is being done, and then counts anew", () => {
    const lines: string[] = [];
    let now = 0;
    const line = progressOn({ isTTY: true, write: (text) => lines.push(String(text)) > 0 }, () => now);
    line.count("entries");
    line.state("restoring: keys CREATING");
    now = 200;
    line.count("entries");
    line.clear();
    expect(lines).toEqual(["\r\x1b[Krestoring: keys CREATING …", "\r\x1b[K1 entries …", "\r\x1b[K"]);
  });

  test("says how fast the last of them are counted", () => {
    const lines: string[] = [];
    let now = 0;
    const line = progressOn({ isTTY: true, write: (text) => lines.push(String(text)) > 0 }, () => now);
    line.count("meters");
    for (let entry = 0; entry < 6_000; entry++) line.count("entries");
    now = 2_000;
    line.count("entries");
    expect(lines).toEqual(["\r\x1b[K1 meters, 6,001 entries (3,001 a second) …"]);
  });

  test("leaves a line every ten seconds where there is no terminal", () => {
    const lines: string[] = [];
    let now = 0;
    const line = progressOn({ isTTY: false, write: (text) => lines.push(String(text)) > 0 }, () => now);
    for (let second = 1; second <= 25; second++) {
      now = second * 1_000;
      line.count("entries");
    }
    line.clear();
    expect(lines).toEqual(["10 entries (1 a second)\n", "20 entries (1 a second)\n"]);
  });

  test("counts things as they are read, and changes none", async () => {
    const counts: string[] = [];
    const three = (async function* () {
      yield* [1, 2, 3];
    })();
    const progress = { count: (what: string) => void counts.push(what), state: () => {} };
    expect(await Array.fromAsync(counted(three, "things", progress))).toEqual([1, 2, 3]);
    expect(counts).toEqual(["things", "things", "things"]);
  });
});
