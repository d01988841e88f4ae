/** What every vendor is sent: nothing that it refuses, and the reasoning of earlier turns where it wants it. */
import { describe, expect, test } from "vitest";
import { type Fields, objectsOf } from "#shared/base/json/fields.ts";
import { framesIn, least, type Speech } from "#test/support/crossed.ts";
import type { Dialect } from "#test/support/dialects/dialect.ts";
import { traitsOf, usePlayed } from "#test/support/dialects/gateway.ts";
import { adapted, hard } from "#test/support/dialects/hard.ts";
import { dialects } from "#test/support/dialects/index.ts";
import { withoutOne } from "#test/support/dialects/mutants.ts";
import { play, signed, thinkingPart, thought } from "#test/support/dialects/played.ts";
import type { Json } from "#test/support/vendor-answers.ts";

const played = usePlayed(dialects);
const rows = dialects.map((dialect) => [dialect.vendor, dialect] as const);
const clients = Object.keys(hard) as (keyof typeof hard)[];

const answers = (dialect: Dialect, calls?: string) =>
  played.upstream.on((_, response) => {
    const [report] = dialect.reports;
    if (!report) throw new Error("no report");
    play(dialect, { report, ...(calls !== undefined && { calls }) }, played.sent(), response);
  });

/** Every hard request to this vendor, with the status of its answer and the body that the vendor was sent. */
async function asked(
  dialect: Dialect,
): Promise<{ client: Speech; status: number; sent: Json; told: string }[]> {
  const seen = [];
  for (const client of [...clients, "openai"] as const) {
    for (const stream of [false, true]) {
      answers(dialect);
      const body = client === "openai" ? adapted : hard[client];
      const headers = client === "openai" ? { "x-gateway-adapt": "1" } : {};
      const answer = await played.ask(client, dialect, { ...body, stream }, headers);
      seen.push({ client, status: answer.status, sent: played.sent(), told: answer.text.slice(0, 300) });
    }
  }
  return seen;
}

describe("no vendor refuses what crosses to it, or is made to fit", () => {
  test.each(rows)("%s takes hard requests", async (_, dialect) => {
    for (const { client, status, told } of await asked(dialect)) {
      expect([client, status, status === 200 ? "" : told]).toEqual([client, 200, ""]);
    }
  });
});

/** Every rule of a vendor, taken out of what the catalog says. */
const mutants = dialects.flatMap((dialect) =>
  withoutOne(traitsOf(dialect)).map(({ rule, traits }) => [dialect.vendor, rule, dialect, traits] as const),
);

describe("every rule of a dialect changes what its vendor is sent", () => {
  test.each(mutants)("%s, without %s", async (_, rule, dialect, traits) => {
    played.restate(dialect, traitsOf(dialect));
    const whole = await asked(dialect);
    played.restate(dialect, traits);
    const broken = await asked(dialect);
    expect(broken.map(({ sent }) => sent)).not.toEqual(whole.map(({ sent }) => sent));
    const isRefused = broken.some(({ status }) => status === 400);
    expect(isRefused).toBe(!untold.has(`${dialect.vendor} ${rule}`));
  });
});

/** Rules whose vendors do not say no: they answer otherwise, or nobody has said what they do. */
const untold = new Set([
  ...[
    "deepseek maximum",
    "deepseek stop_max",
    "deepseek schema",
    "deepseek store",
    "alibaba maximum",
    "alibaba asking",
  ],
  ...["moonshot maximum", "openrouter maximum", "openrouter asking", "openrouter replay"],
  ...["siliconflow maximum", "siliconflow asking", "together asking", "cerebras sampling.refused"],
  ...["cerebras stop_max", "cerebras replay"],
]);

describe("the second turn of a loop of tools brings what the vendor wants", () => {
  const tools = [{ name: "get_weather", input_schema: { type: "object", properties: {} } }];
  const reasoners = rows.filter(([, { replayedAt }]) => replayedAt !== undefined);

  test.each(reasoners)("%s gets it from a client of Responses too", async (_, dialect) => {
    const given = [{ type: "function", name: "get_weather", parameters: tools[0]?.input_schema }];
    answers(dialect, "get_weather");
    const first = await played.ask("responses", dialect, { ...least.responses, store: false, tools: given });
    const output = first.json().output as Json[];
    const call = output.find(({ type }) => type === "function_call");
    answers(dialect);
    const input = [
      { role: "user", content: "Hello" },
      ...output,
      { type: "function_call_output", call_id: call?.call_id, output: "Sunny" },
    ];
    const second = await played.ask("responses", dialect, { store: false, tools: given, input });
    expect([second.status, second.status === 200 ? "" : second.text]).toEqual([200, ""]);
    const turn = objectsOf(played.sent().messages).find(({ role }) => role === "assistant") ?? {};
    expect(replayed[dialect.replayedAt ?? "nowhere"]?.(turn)).toBe(true);
  });

  test.each(reasoners)("%s gets its own reasoning back", async (_, dialect) => {
    for (const stream of [false, true]) {
      answers(dialect, "get_weather");
      const first = await played.ask("anthropic", dialect, { ...least.anthropic, tools, stream });
      const content = stream ? contentOf(framesIn(first.text)) : (first.json().content as Json[]);
      const call = content.find(({ type }) => type === "tool_use");
      answers(dialect);
      const second = await played.ask("anthropic", dialect, {
        ...least.anthropic,
        tools,
        messages: [
          ...(least.anthropic.messages as Json[]),
          { role: "assistant", content },
          { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id, content: "Sunny" }] },
        ],
      });
      expect(second.status).toBe(200);
      const turns = objectsOf(played.sent().messages);
      const turn = turns.find(({ role }) => role === "assistant") ?? {};
      expect(replayed[dialect.replayedAt ?? "nowhere"]?.(turn)).toBe(true);
      expect(objectsOf(turn.tool_calls)[0]?.id).toBe(turns.find(({ role }) => role === "tool")?.tool_call_id);
      expect(objectsOf(turn.tool_calls)[0]?.id).toBe(idThere(dialect));
    }
  });
});

/** The vendor's own id comes back to it, in the letters that Anthropic's clients may be given. */
const idThere = ({ callId }: Dialect) => callId.replace(":", "_3a");

const replayed: Partial<Record<string, (turn: Fields) => boolean>> = {
  reasoning_content: ({ reasoning_content }) => reasoning_content === thought,
  reasoning: ({ reasoning, reasoning_content }) => reasoning === thought && reasoning_content === undefined,
  thinking_parts: ({ content }) => JSON.stringify(objectsOf(content)[0]) === JSON.stringify(thinkingPart),
  details: ({ reasoning_details }) => objectsOf(reasoning_details)[0]?.signature === signed,
};

/** The content of a streamed answer of Anthropic's, as its clients put it together. */
function contentOf(events: Json[]): Json[] {
  const blocks: Json[] = [];
  for (const { type, index, content_block, delta } of events) {
    if (type === "content_block_start") blocks[index as number] = { ...(content_block as Json) };
    if (type !== "content_block_delta") continue;
    const block = blocks[index as number] ?? {};
    const { thinking, signature, text, partial_json } = delta as Record<string, string | undefined>;
    if (thinking !== undefined) block.thinking = `${String(block.thinking)}${thinking}`;
    if (signature !== undefined) block.signature = signature;
    if (text !== undefined) block.text = `${String(block.text)}${text}`;
    if (partial_json !== undefined) block.input = JSON.parse(partial_json || "{}") as Json;
  }
  return blocks;
}

describe("a vendor that refuses the switch for a usage", () => {
  const mistral = dialects.find(({ vendor }) => vendor === "mistral") as Dialect;

  test.each([
    ["in front", { stream_options: { include_usage: true }, ...least.openai }],
    ["at the end", { ...least.openai, stream: true, stream_options: { include_usage: true } }],
    ["not at all", least.openai],
  ])("gets the client's bytes without it where it stands %s", async (_, body) => {
    answers(mistral);
    const answer = await played.ask("openai", mistral, { ...body, stream: true });
    expect(answer.status).toBe(200);
    expect(played.sent()).toEqual({ ...least.openai, model: mistral.model, stream: true });
    expect(played.memory.events.at(-1)?.evidence).toBe("reported");
  });
});
