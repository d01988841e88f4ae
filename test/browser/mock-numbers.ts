/** Made-up numbers of a customer, for looking at pages. */
import type {
  Account,
  ApiKey,
  Call,
  Figures,
  Limits,
  LimitUse,
  Receipt,
  UsageSeries,
  UsageSummary,
} from "../../console/api-types.ts";

export const now = Date.parse("2026-11-23T10:20:00Z");
const dayMs = 86_400_000;
export const at = (ms: number) => new Date(ms).toISOString();

const plan: NonNullable<Account["plan"]> = {
  ...{ plan: "pro", period: "monthly", ends_at: at(now + 36 * dayMs) },
  next: { plan: "lite", period: "monthly", from: at(now + 6 * dayMs) },
};
export const account: Account = {
  user: {
    ...{ id: "usr_1", name: "Lin Yue", locale: "en" },
    ...{ phone_last_four: "8000", email_shown: null },
    created_at: at(now - 90 * dayMs),
  },
  organization: { id: "org_1", name: "Kestrel Robotics", status: "active", keys_make_managers: false },
  organizations: [
    { id: "org_1", name: "Kestrel Robotics", role: "owner" },
    { id: "org_2", name: "Lin Yue", role: "member" },
  ],
  role: "owner",
  rights: [
    "see_all_usage",
    "manage_all_keys",
    "manage_own_keys",
    "manage_members",
    "manage_billing",
    "see_billing",
    "see_audit_log",
  ],
  plan,
  wallet: { balance_points: "412.338201" },
};

export const models = [
  "gpt-5.6-sol",
  "claude-haiku-4-5",
  "glm-5.1",
  "doubao-seed-2-0-pro-260215",
  "gemini-2.5-pro",
  "MiniMax-M3",
];

const media = { generated_images: 0, video_seconds: 0 };

function figures(n: number): Figures {
  const calls = Math.round(n * 7);
  return {
    cost_points: (n * 1.273).toFixed(6),
    list_points: (n * 1.5).toFixed(6),
    ...media,
    calls,
    input_tokens: calls * 1_830,
    output_tokens: calls * 412,
    cache_read_tokens: calls * 640,
    cache_write_tokens: calls * 55,
  };
}

function sum(all: Figures[]): Figures {
  const add = (name: Exclude<keyof Figures, "cost_points" | "list_points">) =>
    all.reduce((total, each) => total + each[name], 0);
  return {
    cost_points: all.reduce((total, each) => total + Number(each.cost_points), 0).toFixed(6),
    list_points: "0",
    ...media,
    calls: add("calls"),
    input_tokens: add("input_tokens"),
    output_tokens: add("output_tokens"),
    cache_read_tokens: add("cache_read_tokens"),
    cache_write_tokens: add("cache_write_tokens"),
  };
}

export const isEmpty = process.env.EMPTY === "1";

const columns = [
  "cost_points",
  "calls",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
] as const;

export function series(query: URLSearchParams): UsageSeries {
  const from = query.get("from") ?? at(now - 7 * dayMs);
  const to = query.get("to") ?? at(now);
  const step = (query.get("step") ?? "day") as UsageSeries["step"];
  const by = (query.get("by") ?? "model") as UsageSeries["by"];
  const names = {
    model: models,
    project: ["", "search", "support"],
    key: [...keys.map(({ id }) => id), null],
    user: ["u-1", null],
  };
  const size = step === "hour" ? dayMs / 24 : step === "day" ? dayMs : 30 * dayMs;
  const all = (by in names ? names[by as keyof typeof names] : ["search", null]).map((name, which) => {
    const each: { at: string; figures: Figures }[] = [];
    for (let ms = Date.parse(from), n = 0; ms < Math.min(Date.parse(to), now); ms += size, n++) {
      const wave = 5 + 4 * Math.sin(n / 2.3 + which * 1.7) + ((n * 7 + which * 3) % 5);
      each.push({ at: at(ms), figures: figures(Math.max(0, wave / (which + 1))) });
    }
    const key = keys.find(({ id }) => id === name);
    return {
      name,
      label: key?.name ?? null,
      ...(key && { last_four: key.last_four }),
      points: each.map((point) => [point.at, ...columns.map((column) => point.figures[column])]),
      totals: sum(each.map((point) => point.figures)),
    };
  });
  const shown = isEmpty ? [] : all;
  return {
    ...{ object: "usage_series", from, to, by, step },
    columns: ["at", ...columns],
    series: shown,
    totals: sum(shown.map(({ totals }) => totals)),
  };
}

const use = (used: number, limit: number | null, resetsIn: number, freeIn?: number): LimitUse => ({
  used,
  limit,
  resets_at: at(now + resetsIn),
  free_at: freeIn === undefined ? null : at(now + freeIn),
});

export const summary: UsageSummary = {
  object: "usage_summary",
  ...{ at: at(now), counted_at: at(now) },
  wallet: { balance_points: "412.338201", held_points: "0" },
  subscription: { ...plan, quota: use(8_120, 10_000, 6 * dayMs) },
  in_flight: 3,
  today: figures(30),
  compared: { until: at(now), today: figures(30), yesterday: figures(24) },
  pace: { points_per_day: "37.4" },
  days_left: 2,
  alerts: isEmpty
    ? []
    : [
        { kind: "plan_ends", at: at(now + 6 * dayMs) },
        { kind: "low_balance", days_left: 2 },
      ],
};

export const key = (n: number, more: Partial<ApiKey>): ApiKey => ({
  object: "api_key",
  id: `key_01KB3Q7M4V8F2N6C0T9XWZ5Y${n}0`,
  name: `Key ${n}`,
  billing_mode: "payg",
  project_id: "",
  permissions: [],
  limits: null,
  ...{ cache: null, defaults: null, policy: null },
  budget: null,
  status: "active",
  ...{ last_four: `a${n}Qz`, program: null, old_secret_expires_at: null },
  created_at: at(now - n * 9 * dayMs),
  expires_at: null,
  ...{ created_by: { id: "usr_1", name: "Lin Yue" }, created_by_key: null },
  descends_from: { id: "usr_1", name: "Lin Yue" },
  ...more,
});

export const keys: ApiKey[] = [
  key(1, {
    name: "Production search",
    project_id: "search",
    limits: { max_concurrency: 20, budget_points: "200", budget_period: "month" },
    budget: {
      ...{ period: "month", spent_points: "161.2038", held_points: "0.4", left_points: "38.3962" },
      resets_at: at(now + 8 * dayMs),
    },
  }),
  key(2, {
    name: "Plan, support desk",
    billing_mode: "subscription",
    project_id: "support",
    limits: { rpm: 60 },
  }),
  key(3, { name: '<img src=x onerror=alert(1)> "quoted" 很长的名字', expires_at: at(now + 3 * dayMs) }),
  key(4, { name: "Old laptop", status: "revoked" }),
];

export const call = (n: number): Call => ({
  object: "call",
  id: `req_01KB3Q7M4V8F2N6C0T9XWZ${5000 + n}`,
  created_at: at(now - n * 73_000),
  ended_at: at(now - n * 73_000 + 2_400 + n * 31),
  kind: "chat",
  model: models[n % models.length] ?? "",
  project_id: n % 3 ? "search" : "",
  key_id: keys[n % 3]?.id ?? "",
  user: n % 4 ? null : "customer-17",
  billing_mode: n % 5 ? "payg" : "subscription",
  outcome: n % 9 === 4 ? "failed" : n % 7 === 3 ? "truncated" : "completed",
  provider: "demo",
  usage: {
    input_tokens: 1_200 + n,
    output_tokens: 340 + n,
    cache_read_tokens: 800,
    cache_write_tokens: 0,
    ...media,
  },
  cost_points: n % 5 ? "0.00431725" : "0",
  list_points: "0.00431725",
  corrected: n === 2,
  ...{ error: null, flags: [], evidence: "reported", calls: 1 },
});

export function receipt(id: string): Receipt {
  return {
    ...call(1),
    object: "request",
    error: null,
    id,
    status: "settled",
    price: { version: "2026-11-21" },
    discount_rate: "1",
    tiers: [{ side: "call", basis: "input_tokens", tokens: 2_001, from: 0, up_to: 32_000 }],
    ways: [],
    lines: [
      {
        dimension: "input_tokens",
        quantity: 1_201,
        unit_price: "1.25",
        per: 1_000_000,
        points: "0.00150125",
      },
      {
        dimension: "cache_read_tokens",
        quantity: 800,
        unit_price: "0.125",
        per: 1_000_000,
        points: "0.0001",
      },
      {
        dimension: "output_tokens",
        quantity: 341,
        unit_price: "7.95",
        per: 1_000_000,
        points: "0.00271095",
      },
    ],
    reason: "The sum of the lines: quantity × unit price / per × discount rate.",
    correction: null,
    entries: [
      {
        id,
        kind: "usage",
        points: "0.0043122",
        at: at(now),
        debit: "wallet:org_1",
        credit: "revenue:gpt-5.6-sol",
      },
    ],
  };
}

export const limits: Limits = {
  object: "limits",
  at: at(now),
  in_flight: 3,
  subscription: {
    ...plan,
    rpm: use(41, 300, 40_000),
    tpm: use(187_220, 200_000, 40_000),
    tpd: use(3_100_000, null, 0.5 * dayMs),
    quota: use(10_000, 10_000, 6 * dayMs, 6 * dayMs),
    day_points: {
      ...{ limit_points: "40", period: "day", spent_points: "28.4", held_points: "0.6", left_points: "11" },
      resets_at: at(now + 0.5 * dayMs),
    },
    ...{ in_flight: 1, open_tasks: 0 },
  },
  wallet: {
    ...{ balance_points: "412.338201", held_points: "0.4", free_points: "411.938201" },
    ...{ in_flight: 2, open_tasks: 0 },
  },
  keys: keys.slice(0, 2).map(({ id, name, last_four, billing_mode, budget }) => ({
    ...{ id, name, last_four, billing_mode },
    in_flight: { used: 2, limit: 20 },
    ...(billing_mode === "subscription" && { rpm: use(7, 60, 30_000) }),
    budget: budget && { ...budget, limit_points: "200" },
  })),
};
