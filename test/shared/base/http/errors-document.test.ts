/** `shared/base/http/errors.md` says what the code does: its table of names and beginnings is that of the code. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { alarmLines } from "#infra/monitoring/alarm-lines.ts";
import { families, routes } from "#shared/base/http/routes.ts";
import { limits } from "#shared/base/limits.ts";
import { forms, type Meaning, refusalCodes, type VendorForm } from "#shared/calls/upstreams/refusal-codes.ts";

const text = readFileSync(new URL("../../../../shared/base/http/errors.md", import.meta.url), "utf8");

const titles: Record<VendorForm, string> = {
  openai: "OpenAI",
  images: "OpenAI images",
  anthropic: "Anthropic",
  gemini: "Gemini",
  ark: "Ark",
  zhipu: "Zhipu",
};

/** The cells of the table with this head. */
function rowsUnder(head: string): string[][] {
  const [, after = ""] = text.split(`${head}\n`);
  const lines = after.split("\n").slice(1);
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(0, end).map((line) => line.slice(2, -2).split(" | "));
}

const meanings = Object.keys(refusalCodes) as Meaning[];

test("the names of each meaning", () => {
  const head = `| Meaning | ${forms.map((form) => titles[form]).join(" | ")} |`;
  const expected = meanings.map((meaning) => [
    `\`${meaning}\``,
    ...forms.map((form) => {
      const { code, type, status } = refusalCodes[meaning].spoken[form] ?? {};
      const name = code ?? status ?? type;
      return name === undefined ? "–" : `\`${name}\``;
    }),
  ]);
  expect(rowsUnder(head)).toEqual(expected);
});

test("how messages begin", () => {
  const expected = meanings.flatMap((meaning) =>
    forms.flatMap((form) => {
      const { says, counted = says } = refusalCodes[meaning].spoken[form] ?? {};
      return counted === undefined ? [] : [[`\`${meaning}\``, titles[form], `\`${counted}\``]];
    }),
  );
  expect(rowsUnder("| Meaning | For a client of | The message begins with |")).toEqual(expected);
});

test("every style, and the bounds", () => {
  const styles = new Set([...routes.map(({ style }) => style), ...families.map(([, style]) => style)]);
  const told = rowsUnder("| Style | Routes | Body |").map(([style]) => style?.replaceAll("`", ""));
  expect(told.sort()).toEqual([...styles].sort());
  expect(text).toContain(`cut to ${limits.errorExcerptCharsMax} characters`);
  const { upstreamWaitMaxMs, channelLimitedMinMs, channelLimitedMaxMs, channelOpenMaxMs } = limits;
  expect([upstreamWaitMaxMs, channelLimitedMinMs, channelLimitedMaxMs]).toEqual([3_600_000, 1_000, 60_000]);
  expect(channelOpenMaxMs).toBe(60_000);
  expect(limits.modelSuggestionsMax).toBe(3);
  for (const { line, within } of alarmLines)
    if (within === "minute") expect(text).toContain(`\`${line.value}\``);
  expect(text.split("\n").length).toBeLessThanOrEqual(121);
});
