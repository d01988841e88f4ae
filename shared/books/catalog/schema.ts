/** The one check of a catalog file (design §5), its form here and more in `rules.ts`. No function bundles it. */
import * as z from "zod/mini";
import { limits } from "../../base/limits.ts";
import { isExactRate } from "../billing/currency.ts";
import { currencyPlaces } from "../billing/money.ts";
import { isDay } from "../billing/period.ts";
import { parseDecimal } from "../billing/points.ts";
import { resolutions } from "../billing/pricing/modes/per-second.ts";
import { priceSchema } from "../billing/pricing/modes/schemas.ts";
import { ways } from "../billing/pricing/rates.ts";
import { decimal, decimalForm, label } from "../billing/pricing/strings-schema.ts";
import {
  type Catalog,
  capabilities,
  dearCalls,
  type ModelEntry,
  objectives,
  paymentChannels,
  routings,
} from "./catalog.ts";
import { provider } from "./provider-schema.ts";
import { modelProblems, problemsOf } from "./rules.ts";
import { statedTraits } from "./traits-schema.ts";

/** A catalog that cannot be used. The message lists the problems, each on a line that begins with its path. */
export class CatalogError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "CatalogError";
    this.problems = problems;
  }
}

const text = z.string().check(z.minLength(1));
const count = z.int().check(z.gte(0));
const positive = z.int().check(z.gte(1));

const discount = decimal.check(
  z.refine((rate) => !decimalForm.test(rate) || parseDecimal(rate, 6) <= 10_000_000n, "must be at most 10"),
);

const modelId = z.string().check(z.regex(/^\w[\w.-]*\/\w[\w.-]*$/, "must look like <provider>/<model-name>"));
/** Hosts have their maker's name inside of their own: `groq/openai/gpt-oss-120b`. */
const alias = z
  .string()
  .check(z.regex(/^\w[\w.-]*(?:\/\w[\w.-]*){0,3}$/, "must be a model name without spaces"));

/** `*` stands for any characters. More than four of them would make a pattern slow to match. */
const pattern = z
  .string()
  .check(z.regex(/^(?!(?:[^*]*\*){5})[\w.*/-]{1,256}$/, "must be a model id, with at most four * in it"));

const day = z.string().check(z.refine(isDay, "must be a day like 2026-11-20"));

const priceSource = z.strictObject({
  source: text,
  as_of: day,
});

const nextPrice = z
  .strictObject({
    from: day,
    price: z.exactOptional(priceSchema),
    discount_rate: z.exactOptional(discount),
  })
  .check(
    z.refine(
      ({ price, discount_rate }) => price !== undefined || discount_rate !== undefined,
      "must have `price` or `discount_rate`",
    ),
  );

const houseCost = z.strictObject({
  input: decimal,
  output: decimal,
  cache_read: z.exactOptional(decimal),
  cache_write: z.exactOptional(decimal),
});

const channel = z.strictObject({
  provider: text,
  model: text,
  priority: z._default(count, 1),
  weight: z._default(positive, 1),
  traits: z.exactOptional(statedTraits),
  cost: z.exactOptional(houseCost),
});

const video = z.strictObject({
  resolutions: z.array(z.enum(resolutions)).check(z.minLength(1)),
  default_resolution: z.enum(resolutions),
  max_seconds: positive,
  frames: z._default(z.boolean(), false),
  draft: z._default(z.boolean(), false),
  audio: z._default(z.boolean(), false),
});

const modelRouting = z.strictObject({
  race: z.exactOptional(z.boolean()),
  objective: z.exactOptional(z.enum(objectives)),
  first_byte_ms: z.exactOptional(z.int().check(z.gte(100), z.lte(limits.raceMaxMs))),
});

const model = z.strictObject({
  id: modelId,
  aliases: z._default(z.array(alias), []),
  display_name: text,
  created: count,
  ends: z.exactOptional(day),
  owned_by: text,
  capabilities: z.array(z.enum(capabilities)).check(z.minLength(1)),
  context_tokens: z._default(count, 0),
  output_tokens: z._default(count, 0),
  media_tokens: z._default(z.nullable(positive), null),
  price: z._default(z.nullable(priceSchema), null),
  pricing_group: z._default(z.nullable(text), null),
  price_source: z._default(z.nullable(priceSource), null),
  discount_rate: z._default(discount, "1"),
  next_price: z.exactOptional(nextPrice),
  permission: z._default(z.nullable(z.enum(["AVG_V2"])), null),
  strict: z._default(z.boolean(), false),
  video: z._default(z.nullable(video), null),
  traits: z.exactOptional(statedTraits),
  routing: z.exactOptional(modelRouting),
  channels: z.array(channel).check(z.minLength(1)),
});

/** One value for each billing period (contract §2.2). */
function perPeriod<Value extends z.ZodMiniType>(value: Value) {
  return z.strictObject({ monthly: value, quarterly: value, yearly: value });
}

/** A plan without these includes no tool of a provider and no other way: what nobody has decided must cost nothing. */
const included = {
  tools: z._default(z.record(label, positive), {}),
  ways: z._default(z.partialRecord(z.enum(ways), z.array(label)), {}),
  video: z._default(
    z.strictObject({
      resolutions: z.exactOptional(z.array(z.enum(resolutions)).check(z.minLength(1))),
      max_seconds: z.exactOptional(positive),
    }),
    {},
  ),
};

const listPointsMax = z
  .strictObject({
    call: z.exactOptional(decimal),
    day: z.exactOptional(decimal),
    above: z._default(z.enum(dearCalls), "refuse"),
  })
  .check(
    z.refine(({ call, day }) => call !== undefined || day !== undefined, "must have `call` or `day`"),
    z.refine(({ call, above }) => above === "refuse" || (call !== undefined && Number(call) > 0), {
      path: ["above"],
      error: "can be `count` only beside a `call` of more than 0",
    }),
  );

const plan = z.strictObject({
  price: perPeriod(decimal),
  quota: perPeriod(count),
  rpm: z.nullable(positive),
  tpm: z.nullable(positive),
  tpd: z.nullable(positive),
  models: z._default(z.array(pattern).check(z.minLength(1)), ["*"]),
  n_max: z._default(z.nullable(positive), null),
  ...included,
  list_points_max: z._default(z.nullable(listPointsMax), null),
  routing: z._default(z.enum(routings), "smart"),
  cache: z._default(z.boolean(), false),
});

const payg = z.strictObject({ routing: z._default(z.enum(routings), "basic") });

/** A share or points for each call, and nothing else. */
const ownFee = z.union([
  z.strictObject({
    share: decimal.check(
      z.refine((share) => !decimalForm.test(share) || Number(share) <= 1, "must be at most 1"),
    ),
  }),
  z.strictObject({ call: decimal }),
]);

const semanticModels = z.strictObject({ embedder: modelId, verifier: modelId });

/** A rate at which every quotient ends, so that costs in the currency add up as the points do. */
const rate = decimal.check(
  z.refine(
    (points) => !decimalForm.test(points) || isExactRate(points),
    "must divide a power of ten, as 100, 250 or 0.5 do, so that every amount of points is exact",
  ),
);

const currency = z.strictObject({
  code: z.string().check(z.regex(/^[A-Z]{3}$/, "must be three capital letters of ISO 4217, such as CNY")),
  points_per_unit: rate,
});

const recharge = z.record(
  z
    .string()
    .check(
      z.refine(
        (code) => Object.hasOwn(currencyPlaces, code),
        `must be one of ${Object.keys(currencyPlaces).join(", ")}`,
      ),
    ),
  z.strictObject({
    points_per_unit: decimal,
    min: text,
    max: text,
    channels: z.array(z.enum(paymentChannels)).check(
      z.minLength(1),
      z.refine((names) => new Set(names).size === names.length, "must not name one twice"),
    ),
  }),
);

const catalog = z.strictObject({
  version: text,
  providers: z.record(label, provider),
  pricing_groups: z._default(z.record(label, priceSchema), {}),
  models: z.array(model),
  plans: z.record(label, plan),
  payg: z._default(payg, { routing: "basic" }),
  recharge: z.optional(recharge),
  cache: z.optional(semanticModels),
  byok_fee: z.optional(ownFee),
  issuer: z.optional(text),
  currency: z.optional(currency),
});

/** The catalog of a file's JSON, with its defaults. Throws `CatalogError` with every problem found. */
export function parseCatalog(json: unknown): Catalog {
  const parsed = z.safeParse(catalog, json, { error: z.locales.en().localeError });
  if (!parsed.success) throw new CatalogError(parsed.error.issues.flatMap((issue) => describeIssue(issue)));
  const problems = problemsOf(parsed.data);
  if (problems.length > 0) throw new CatalogError(problems);
  return parsed.data;
}

/** One model of a file's JSON with its defaults, or its problems, each with its field. Names are not compared. */
export function readEntry(json: unknown, catalog: Catalog): { entry: ModelEntry } | { problems: string[] } {
  const parsed = z.safeParse(model, json, { error: z.locales.en().localeError });
  if (!parsed.success) return { problems: parsed.error.issues.flatMap((issue) => describeIssue(issue)) };
  const problems = modelProblems(parsed.data, catalog);
  return problems.length > 0 ? { problems } : { entry: parsed.data };
}

function describeIssue(issue: z.core.$ZodIssue, above: PropertyKey[] = []): string[] {
  const path = [...above, ...issue.path];
  if (issue.code === "invalid_union") {
    // For an object the problems inside it say more than the remark that it is no string.
    const inner = issue.errors.find((issues) => issues.some(({ path }) => path.length > 0));
    if (inner) return inner.flatMap((each) => describeIssue(each, path));
  }
  const message = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return [`${z.core.toDotPath(path) || "catalog"}: ${message}`];
}
