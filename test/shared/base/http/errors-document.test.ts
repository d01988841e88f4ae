/** `shared/base/http/errors.md` has every style, alarm and bound that the code has. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { joinedLines } from "#infra/monitoring/alarm-lines.ts";
import { families, routes } from "#shared/base/http/routes.ts";
import { limits } from "#shared/base/limits.ts";

const text = readFileSync(new URL("../../../../shared/base/http/errors.md", import.meta.url), "utf8");

/** The cells of the table with this head. */
function rowsUnder(head: string): string[][] {
  const [, after = ""] = text.split(`${head}\n`);
  const lines = after.split("\n").slice(1);
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(0, end).map((line) => line.slice(2, -2).split(" | "));
}

test("every style, and the bounds", () => {
  const styles = new Set([...routes.map(({ style }) => style), ...families.map(([, style]) => style)]);
  const told = rowsUnder("| Style | Routes | Body |").map(([style]) => style?.replaceAll("`", ""));
  expect(told.sort()).toEqual([...styles].sort());
  expect(text).toContain(`cut to ${limits.errorExcerptCharsMax} characters`);
  const { upstreamWaitMaxMs, channelLimitedMinMs, channelLimitedMaxMs, channelOpenMaxMs } = limits;
  expect([upstreamWaitMaxMs, channelLimitedMinMs, channelLimitedMaxMs]).toEqual([3_600_000, 1_000, 60_000]);
  expect(channelOpenMaxMs).toBe(60_000);
  expect(limits.modelSuggestionsMax).toBe(3);
  for (const { line, alarm } of joinedLines)
    if (alarm === "LogLinesQuick") expect(text).toContain(`\`${line.value}\``);
});
