/**
 * Compares the product's figures with an independent reference. Clients of all four protocols call 71 models with
 * odd prices through each of their providers: the vendors themselves, and each kind of cloud. A call must cost the same to the last digit everywhere: in its
 * header, its receipt and the receipt's lines, in the balance, the report and the export.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bill, type Counted } from "#test/reference/bill.ts";
import { answerAsCloud, type Cloud, clouds } from "#test/reference/clouds.ts";
import { decimal, type Fraction, fraction, minus, sum } from "#test/reference/fraction.ts";
import { type PriceRow, type ReferenceModel, referenceModels } from "#test/reference/price-list.ts";
import { answerAs, countedIn, counts, prompt, type Speech, speeches } from "#test/reference/vendors.ts";
import { balanceOf, type LocalGateway, operator, startLocal } from "#test/support/local.ts";
import { catalogAt, customer, expectCleanAudit } from "#test/support/money.ts";
import { randomOf } from "#test/support/turns.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

type Json = Record<string, unknown>;

/** More than all calls can cost. */
const bought = "1000000000";
/** What runs at once: enough to keep two cores busy. */
const workers = 8;
const secret = { REFERENCE_KEY: "upstream-secret" };

type Provider = Speech | Cloud;
const providers: readonly Provider[] = [...speeches, ...(Object.keys(clouds) as Cloud[])];
const isCloud = (provider: Provider): provider is Cloud => Object.hasOwn(clouds, provider);

/** One call of the grid, and what it must cost. */
interface Call {
  client: Speech;
  provider: Provider;
  model: ReferenceModel;
  stream: boolean;
  counted: Counted;
  cost: Fraction;
  /** Our id, once it is made. */
  request: string;
}

const modelId = ({ id }: ReferenceModel, provider: Provider) => `${id}-${provider}`;

function catalogOf(url: string): unknown {
  const base = catalogAt(url) as { models: object[]; providers: object };
  const bases = { openai: `${url}/v1`, anthropic: url, gemini: url, responses: `${url}/v1` };
  const providerOf = (name: Provider) => {
    if (!isCloud(name)) return { protocols: { [name]: bases[name] }, secret: "REFERENCE_KEY" };
    const { protocol, host, auth } = clouds[name];
    const secret = auth !== "aws_role" && { secret: "REFERENCE_KEY" };
    return { protocols: { [protocol]: url }, host, auth, ...secret };
  };
  const named = Object.fromEntries(providers.map((name) => [name, providerOf(name)]));
  const models = providers.flatMap((provider) =>
    referenceModels.map((model) => ({
      ...base.models[0],
      id: modelId(model, provider),
      aliases: [],
      context_tokens: 2_000_000,
      output_tokens: 1_000_000,
      price: model.price,
      discount_rate: model.discount_rate,
      channels: [{ provider, model: "upstream" }],
    })),
  );
  return { ...base, providers: { ...base.providers, ...named }, models };
}

const random = randomOf(1136);
const below = (bound: number) => Math.floor(random() * bound);

/** Where a price changes: on each side of these, and elsewhere by chance, the calls have their sizes. */
const breakpoints = (price: PriceRow): number[] => {
  if (price.mode === "flat_tokens") return [];
  const rows = price.mode === "input_tokens_tiers" ? price.tiers : [...price.input, ...price.output];
  return rows.flatMap(({ up_to }) => up_to ?? []);
};

/** Counts that the provider can report, whose size is on an edge of a tier as often as not. */
function countsFor({ price }: ReferenceModel, provider: Provider): Counted {
  const known: readonly (keyof Counted)[] = isCloud(provider) ? clouds[provider].counts : counts[provider];
  const can = (name: keyof Counted) => known.includes(name);
  const output = 1 + below(below(3) === 0 ? 90_000 : 900);
  const edges = breakpoints(price);
  const edge = edges[below(2 * edges.length)];
  const sized = price.mode === "total_tokens_tiers" ? output : 0;
  const inputs = Math.max(1, edge === undefined ? below(300_000) : edge + below(2) - sized);
  const cache_read = can("cache_read") ? below(inputs) : 0;
  const cache_write = can("cache_write") ? below(inputs - cache_read) : 0;
  const input = inputs - cache_read - cache_write;
  const plain = { input, output, cache_read, cache_write };
  if (!price.rates) return plain;
  return {
    ...plain,
    ...(can("cache_write_1h") && { cache_write_1h: below(cache_write + 1) }),
    ...(can("audio_input") && { audio_input: below(input + 1), audio_output: below(output + 1) }),
    ...(can("web_searches") && { web_searches: below(4) }),
    ...(can("tier") && below(2) === 0 && { tier: ["priority", "flex"][below(2)] as string }),
  };
}

/** A cloud's model is called by two of the four clients: whole by the one, and streamed by the other. */
const isAsked = (provider: Provider, place: number) => !isCloud(provider) || place % 4 < 2;

const grid: Call[] = referenceModels.flatMap((model, at) =>
  speeches.flatMap((client, row) =>
    providers.flatMap((provider, column): Call[] => {
      if (!isAsked(provider, at + row + column)) return [];
      const counted = countsFor(model, provider);
      const stream = (at + row + column) % 2 === 0;
      return [{ client, provider, model, stream, counted, cost: bill(model, counted), request: "" }];
    }),
  ),
);

let upstream: Upstream;
let gateway: LocalGateway;
let buyer: { id: string; key: string };
let began: string;
beforeAll(async () => {
  upstream = await startUpstream();
  // The request that was recorded last is the one that is answered.
  upstream.on((request, response) => {
    const { url = "" } = request;
    const body = String(upstream.requests.pop()?.body);
    if (!answerAsCloud(url, body, countedIn(body), response)) answerAs(url, body, response);
  });
  gateway = await startLocal({ catalog: catalogOf(upstream.url), env: secret });
  buyer = await customer(gateway, { points: BigInt(bought) * 10n ** 18n });
  began = new Date(Date.now() - 1_000).toISOString();
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

const bearer = () => ({ authorization: `Bearer ${buyer.key}`, "content-type": "application/json" });

/** A client's path and body. */
function requestOf({ client, provider, model, stream, counted }: Call): [path: string, body: Json] {
  const text = prompt(counted);
  const messages = [{ role: "user", content: text }];
  // Bedrock takes the tier that it is asked for. The other providers say which one they have taken.
  const tier = provider === "converse" && counted.tier;
  const named = {
    model: modelId(model, provider),
    ...(stream && { stream }),
    ...(tier && { service_tier: tier }),
  };
  if (client === "openai") return ["/v1/chat/completions", { ...named, messages }];
  if (client === "anthropic") return ["/v1/messages", { ...named, max_tokens: 1_000, messages }];
  if (client === "responses") return ["/api/v1/responses", { ...named, input: text }];
  const action = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return [
    `/api/v1beta/models/${named.model}:${action}`,
    { contents: [{ role: "user", parts: [{ text }] }], ...(tier && { serviceTier: tier }) },
  ];
}

/** Runs a job for each call, several at once. */
async function forEachCall(job: (call: Call) => Promise<void>): Promise<void> {
  const waiting = [...grid];
  const worker = async () => {
    for (let call = waiting.pop(); call; call = waiting.pop()) await job(call);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

const read = async (path: string): Promise<Json> => {
  const reply = await fetch(gateway.url + path, { headers: bearer() });
  expect(reply.status, path).toBe(200);
  return (await reply.json()) as Json;
};

/** What is wrong with a figure, or nothing. */
const compare = (call: Call, where: string, given: unknown, wanted: string): string[] =>
  given === wanted
    ? []
    : [
        `${call.client} → ${call.provider}, ${call.model.id}, ${where}: ${given}, not ${wanted} (${call.request})`,
      ];

const range = () => `from=${began}&to=${new Date(Date.now() + 1_000).toISOString()}`;

describe("71 models over 36 pairs of client and provider", () => {
  test("each call is answered, and a whole answer's header names its cost", async () => {
    const wrong: string[] = [];
    await forEachCall(async (call) => {
      const [path, body] = requestOf(call);
      const options = { method: "POST", headers: bearer(), body: JSON.stringify(body) };
      const reply = await fetch(gateway.url + path, options);
      const text = await reply.text();
      call.request = reply.headers.get("x-request-id") ?? "";
      if (reply.status !== 200) wrong.push(`${path} ${call.model.id}: ${reply.status} ${text}`);
      else if (!call.stream) {
        wrong.push(
          ...compare(call, "header", reply.headers.get("x-gateway-cost-points"), decimal(call.cost)),
        );
      }
    });
    expect(wrong).toEqual([]);
    await expectCleanAudit(gateway);
  });

  test("each receipt names the cost, and its lines add up to it", async () => {
    const wrong: string[] = [];
    await forEachCall(async (call) => {
      const { cost_points, list_points, lines } = await read(`/api/v1/requests/${call.request}`);
      const cost = decimal(call.cost);
      const added = decimal(sum((lines as { points: string }[]).map(({ points }) => fraction(points))));
      wrong.push(
        ...compare(call, "cost", cost_points, cost),
        ...compare(call, "list", list_points, cost),
        ...compare(call, "lines", added, cost),
      );
    });
    expect(wrong).toEqual([]);
  });

  test("the balance is what was bought less every call", async () => {
    const total = sum(grid.map(({ cost }) => cost));
    expect(await balanceOf(gateway, buyer.key)).toBe(decimal(minus(fraction(bought), total)));
  });

  test("the report has each model's counts and cost, and their totals", async () => {
    const report = await read(`/api/business/v1/customer/usage?${range()}`);
    const lines = new Map((report.by_model as Json[]).map((line) => [String(line.model), line]));
    const calls = Map.groupBy(grid, ({ model, provider }) => modelId(model, provider));
    for (const [model, made] of calls) {
      const count = (name: keyof Counted) =>
        made.reduce((total, { counted }) => total + Number(counted[name] ?? 0), 0);
      const cost = decimal(sum(made.map((call) => call.cost)));
      expect(lines.get(model), model).toMatchObject({
        calls: made.length,
        input_tokens: count("input"),
        output_tokens: count("output"),
        cache_read_tokens: count("cache_read"),
        cache_write_tokens: count("cache_write"),
        cost_points: cost,
        list_points: cost,
      });
    }
    const total = decimal(sum(grid.map(({ cost }) => cost)));
    expect(report.totals).toMatchObject({ calls: grid.length, cost_points: total, list_points: total });
  });

  test("the export's lines of each call add up to its cost", async () => {
    const to = new Date(Date.now() + 1_000).toISOString();
    const flags = ["--from", began, "--to", to, "--org", buyer.id, "--format", "json"];
    const { value } = await operator(gateway, "ledger", "export", ...flags);
    const lines = (value as unknown as Json[]).filter((line) => line.x_RequestId);
    const byCall = Map.groupBy(lines, (line) => String(line.x_RequestId));
    expect(byCall.size).toBe(grid.length);
    const wrong = grid.flatMap((call) => {
      const costs = (byCall.get(call.request) ?? []).map((line) => fraction(String(line.EffectiveCost)));
      return compare(call, "export", decimal(sum(costs)), decimal(call.cost));
    });
    expect(wrong).toEqual([]);
  });
});
