/**
 * Every vendor's dialect of OpenAI's chat form, played through the gateway. Clients of its own protocol and of others ask:
 * what is counted, where reasoning stands, and what errors mean.
 */
import { describe, expect, test } from "vitest";
import { objectsOf } from "#shared/base/json/fields.ts";
import { framesIn, least, type Speech } from "#test/support/crossed.ts";
import type { Dialect, Failure, Meant } from "#test/support/dialects/dialect.ts";
import { prices, usePlayed } from "#test/support/dialects/gateway.ts";
import { dialects } from "#test/support/dialects/index.ts";
import { callArguments, fail, frames, play, thought, whole, words } from "#test/support/dialects/played.ts";
import type { Json } from "#test/support/vendor-answers.ts";

const played = usePlayed(dialects);
const others = ["anthropic", "responses", "gemini"] as const satisfies Speech[];

/** Every vendor with each of its reports. */
const reports = dialects.flatMap((dialect) =>
  dialect.reports.map((report, index) => [dialect.vendor, index, dialect, report] as const),
);
const rows = dialects.map((dialect) => [dialect.vendor, dialect] as const);

const answers = (dialect: Dialect, index = 0, calls?: string) =>
  played.upstream.on((_, response) => {
    const report = dialect.reports[index];
    if (!report) throw new Error("no such report");
    play(dialect, { report, ...(calls !== undefined && { calls }) }, played.sent(), response);
  });

const counts = ({ input, cached = 0, stored = 0, output }: Meant) => ({
  input_tokens: input,
  cache_read_tokens: cached,
  cache_write_tokens: stored,
  output_tokens: output,
});

/** What a usage costs, in points: whole millionths of a millionth, so that no digit is lost. */
function costOf({ input, cached = 0, stored = 0, output }: Meant): string {
  const millionths = (price: string) => BigInt(Math.round(Number(price) * 1e6));
  const sum =
    BigInt(input) * millionths(prices.input) +
    BigInt(cached) * millionths(prices.cache_read) +
    BigInt(stored) * millionths(prices.cache_write) +
    BigInt(output) * millionths(prices.output);
  const digits = sum.toString().padStart(13, "0");
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, "");
}

/** The counters that a client of each protocol reads, in its own counting. */
const told: Record<Exclude<Speech, "openai">, (meant: Meant) => Json> = {
  anthropic: ({ input, cached = 0, stored = 0, output }) => ({
    input_tokens: input,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: stored,
    output_tokens: output,
  }),
  responses: ({ input, cached = 0, stored = 0, output }) => ({
    input_tokens: input + cached + stored,
    output_tokens: output,
    total_tokens: input + cached + stored + output,
  }),
  gemini: ({ input, cached = 0, stored = 0, output }) => ({
    promptTokenCount: input + cached + stored,
    totalTokenCount: input + cached + stored + output,
  }),
};

/** The usage in an answer, whole or streamed. */
function usageIn(client: Speech, text: string, stream: boolean): Json {
  const last = (items: Json[], pick: (item: Json) => unknown) =>
    items.map(pick).findLast((usage) => usage !== undefined && usage !== null) as Json;
  const items = stream ? framesIn(text) : [JSON.parse(text) as Json];
  switch (client) {
    case "gemini":
      return last(items, ({ usageMetadata }) => usageMetadata);
    case "responses":
      return last(items, ({ usage, response }) => (response as Json | undefined)?.usage ?? usage);
    default:
      return last(items, ({ usage }) => usage);
  }
}

describe("what a vendor counts is charged to the last digit", () => {
  test.each(reports)("%s, report %i, passed through", async (_, index, dialect, report) => {
    for (const stream of [false, true]) {
      answers(dialect, index);
      const answer = await played.ask("openai", dialect, { ...least.openai, stream });
      expect(answer.status).toBe(200);
      const expected = stream
        ? frames(dialect, { report }, true).join("")
        : JSON.stringify(whole(dialect, { report }));
      expect(answer.text).toBe(expected);
      const event = played.memory.events.at(-1);
      expect(event?.usage).toMatchObject(counts(report.means));
      expect([event?.cost_points, event?.evidence, event?.flags]).toEqual([
        costOf(report.means),
        "reported",
        [],
      ]);
    }
  });

  test.each(reports)("%s, report %i, crossed", async (_, index, dialect, report) => {
    for (const client of others) {
      for (const stream of [false, true]) {
        answers(dialect, index);
        const answer = await played.ask(client, dialect, { ...least[client], stream });
        expect([client, stream, answer.status]).toEqual([client, stream, 200]);
        const event = played.memory.events.at(-1);
        expect(event?.usage).toMatchObject(counts(report.means));
        expect(event?.cost_points).toBe(costOf(report.means));
        expect(usageIn(client, answer.text, stream)).toMatchObject(told[client](report.means));
      }
    }
  });
});

describe("where a vendor puts its reasoning, other clients find it", () => {
  test.each(rows.filter(([, { reasoningAt }]) => reasoningAt !== undefined))(
    "%s: reasoning crosses as such",
    async (_, dialect) => {
      answers(dialect);
      const answer = await played.ask("anthropic", dialect, least.anthropic);
      const content = answer.json().content as Json[];
      expect(content.map(({ type }) => type)).toEqual(["thinking", "text"]);
      expect([content[0]?.thinking, content[1]?.text]).toEqual([
        expect.stringContaining(thought),
        words.join(""),
      ]);
      answers(dialect);
      const streamed = await played.ask("anthropic", dialect, { ...least.anthropic, stream: true });
      const deltas = framesIn(streamed.text).map(({ delta }) => delta as Json | undefined);
      const joined = (name: string) => deltas.map((delta) => delta?.[name] ?? "").join("");
      expect(joined("thinking").trim()).toBe(thought);
      expect(joined("text")).toBe(words.join(""));
    },
  );
});

describe("a call of a tool crosses with its id and arguments", () => {
  test.each(rows)("%s: a call crosses", async (_, dialect) => {
    const tools = [{ name: "get_weather", input_schema: { type: "object", properties: {} } }];
    for (const stream of [false, true]) {
      answers(dialect, 0, "get_weather");
      const answer = await played.ask("anthropic", dialect, { ...least.anthropic, tools, stream });
      const items = stream ? framesIn(answer.text) : [answer.json()];
      expect(JSON.stringify(items)).toContain("get_weather");
      const told = stream
        ? items.map(({ delta }) => (delta as Json | undefined)?.partial_json ?? "").join("")
        : JSON.stringify(objectsOf(items[0]?.content).find(({ type }) => type === "tool_use")?.input);
      expect(told).toBe(callArguments);
    }
  });
});

describe("what a vendor's error means", () => {
  const failures = (kind: keyof Dialect["failures"]) =>
    dialects.flatMap((dialect) => {
      const failure = dialect.failures[kind];
      return failure ? [[dialect.vendor, dialect, failure] as const] : [];
    });
  const asks = (dialect: Dialect, failure: Failure, client: Speech = "anthropic") => {
    played.upstream.on((_, response) => fail(failure, response));
    return played.ask(client, dialect, least[client]);
  };
  test.each(failures("context"))("%s: a conversation that is too long", async (_, dialect, failure) => {
    const answer = await asks(dialect, failure);
    expect(answer.status).toBe(400);
    expect((answer.json().error as Json).message).toMatch(/^prompt is too long/);
    const openai = await asks(dialect, failure, "responses");
    expect((openai.json().error as Json).code).toBe("context_length_exceeded");
  });

  test.each([...failures("key"), ...failures("money")])("%s: our account", async (_, dialect, failure) => {
    expect((await asks(dialect, failure)).status).toBe(500);
    const refused = played.memory.logs.filter(({ event }) => event === "provider_account_refused");
    const reason = failure === dialect.failures.key ? "key" : "money";
    expect(refused.map(({ fields }) => fields.reason)).toEqual([reason]);
  });

  test.each(failures("limit"))("%s: a limit", async (_, dialect, failure) => {
    const answer = await asks(dialect, failure);
    expect((answer.json().error as Json).message).toMatch(/limit this gateway at the moment/);
    if (failure.wait_ms !== undefined) {
      expect(answer.headers["retry-after"]).toBe(String(Math.ceil(failure.wait_ms / 1000)));
    }
  });
});
