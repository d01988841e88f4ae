/**
 * Every call of the vendors' SDKs against the routes, at every base URL that the README gives them. A call works, or
 * it is a 404 in the vendor's form that says what is not offered and what is. `ROUTES.md` shows the outcome. After
 * a change of the routes or of an SDK, read what `npm run pages` makes of it before it is committed.
 */
import { describe, expect, test } from "vitest";
import { type Match, match } from "#shared/base/http/router.ts";
import type { ErrorStyle } from "#shared/base/http/routes.ts";
import { expectPage, pageOf } from "#test/house/pages/page.ts";
import { arkCalls, bedrockCalls, googleCalls, type SdkCall, stainlessCalls, zhipuCalls } from "./calls.ts";

interface Sdk {
  title: string;
  note: string;
  calls: readonly SdkCall[];
  /** Base URLs without the host; Google's SDK also sets a version. */
  bases: readonly (readonly [base: string, version?: string])[];
  headers: Record<string, string>;
  styles: readonly ErrorStyle[];
}

const openai: Pick<Sdk, "headers" | "styles"> = {
  headers: {},
  styles: ["openai", "standard", "volcengine", "video"],
};
const anthropic = {
  bases: [[""], ["/api"], ["/api/anthropic"]],
  headers: { "anthropic-version": "2023-06-01" },
  styles: ["anthropic", "anthropic_superset"],
} as const;
const google = {
  bases: [
    ["", "v1"],
    ["", "v1beta"],
    ["/api", "v1"],
    ["/api", "v1beta"],
    ["/api/v1/gemini", "v1beta"],
  ],
  headers: { "x-goog-api-key": "sk-payg-1" },
  styles: ["gemini"],
} as const;

const both = (one: SdkCall[], other: SdkCall[]) => {
  const known = new Map([...one, ...other].map((call) => [`${call.path} ${call.method}`, call]));
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, call]) => call);
};

const sdks: readonly Sdk[] = [
  {
    title: "OpenAI",
    note: "`openai` 6 and 7. The Python SDK makes the same calls.",
    calls: both(stainlessCalls("openai"), stainlessCalls("openai-6")),
    bases: [["/v1"], ["/api/v1"], ["/api/v0"], ["/api/v3"], ["/api/paas/v4"]],
    ...openai,
  },
  {
    title: "Anthropic",
    note: "`@anthropic-ai/sdk` 0 and 1. The Python SDK makes the same calls.",
    calls: both(stainlessCalls("@anthropic-ai/sdk"), stainlessCalls("anthropic-sdk-0")),
    ...anthropic,
  },
  {
    title: "Google Gen AI",
    note: "`@google/genai` 2 and 3. The Python SDK makes the same calls.",
    calls: both(googleCalls("@google/genai"), googleCalls("google-genai-2")),
    ...google,
  },
  {
    title: "Volcengine Ark",
    note: "`volcengine-ark-runtime` and `arkruntime` for Python.",
    calls: arkCalls,
    bases: [["/api/v3"]],
    ...openai,
  },
  {
    title: "Zhipu",
    note: "`zai-sdk` for Python. `zhipu-ai-provider` makes some of the same calls.",
    calls: zhipuCalls,
    bases: [["/api/paas/v4"]],
    ...openai,
  },
  {
    title: "AWS (Bedrock)",
    note: "`@aws-sdk/client-bedrock-runtime`. `boto3` makes the same calls.",
    calls: bedrockCalls(),
    bases: [[""]],
    headers: {},
    styles: ["aws"],
  },
];

function ask(sdk: Sdk, [base, version = ""]: Sdk["bases"][number], { method, path }: SdkCall): Match {
  return match(method, base + path.replace("{api_version}", version), sdk.headers);
}

/** What a 404 says that is missing, else where it leads. */
function refusal({ message = "" }: Extract<Match, { found: false }>): string {
  const missing = /^The (.+) API is not offered by this gateway\./.exec(message)?.[1];
  return missing ?? `at \`${/Did you mean \w+ (\S+)\?$/.exec(message)?.[1]}\``;
}

/** A row of the table for each call that works anywhere, and for each API that is not offered anywhere. */
function rowsOf(sdk: Sdk): string[] {
  const works: string[] = [];
  const missing = new Map<string, number>();
  for (const call of sdk.calls) {
    const answers = sdk.bases.map((base) => ask(sdk, base, call));
    const cells = answers.map((answer) => (answer.found ? "works" : refusal(answer)));
    if (answers.some((answer) => answer.found) || cells.some((cell) => cell.startsWith("at "))) {
      const shown = call.path.replace("{api_version}/", "").replaceAll("x1", "{id}");
      works.push(`| \`${call.method} ${shown}\` | ${cells.join(" | ")} |`);
    } else {
      const name = cells[0] ?? "";
      missing.set(name, (missing.get(name) ?? 0) + 1);
    }
  }
  const none = sdk.bases.map(() => "not offered").join(" | ");
  const counted = [...missing].map(
    ([name, count]) => `| ${name} (${count} ${count === 1 ? "call" : "calls"}) | ${none} |`,
  );
  return [...works, ...counted.sort()];
}

function table(sdk: Sdk): string {
  const bases = sdk.bases.map(([base, version]) => `\`${base || "/"}\`${version ? `, ${version}` : ""}`);
  return [
    `## ${sdk.title}`,
    "",
    sdk.note,
    "",
    `| Call | ${bases.join(" | ")} |`,
    `|---|${bases.map(() => "---|").join("")}`,
    ...rowsOf(sdk),
    "",
  ].join("\n");
}

describe.each(sdks)("$title", (sdk) => {
  test("every call works, or says in the vendor's form what is not offered", () => {
    expect(sdk.calls.length).toBeGreaterThan(10);
    const wrong = sdk.calls.flatMap((call) =>
      sdk.bases.flatMap((base) => {
        const answer = ask(sdk, base, call);
        const style = answer.found ? answer.route.style : answer.style;
        const told = answer.found || (answer.error === "not_found" && answer.message !== undefined);
        return told && sdk.styles.includes(style)
          ? []
          : [`${base.join(" ")} ${call.method} ${call.path}: ${style}`];
      }),
    );
    expect(wrong).toEqual([]);
  });
});

test("ROUTES.md shows the outcome", () => {
  const text = [
    "Each call that works at one of the SDK's base URLs has a row, and so has each API that is not offered. Such an API",
    'answers 404 with "… is not offered by this gateway". It needs no key and costs nothing. A cell that names a path is',
    "a 404 that leads there.",
    "",
    "LiteLLM's `gemini/` models work with `api_base` at `/v1beta`: it adds `/models/{model}:{action}` to what it is given.",
    "",
    ...sdks.map(table),
  ].join("\n");
  const title = "Which calls of which SDK work";
  expectPage("test/sdk/ROUTES.md", pageOf({ title, from: "test/sdk/routes.test.ts", text }));
});
