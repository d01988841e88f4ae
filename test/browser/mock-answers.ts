/** The answers of the mock, by route. */

import type { ApiKey, SessionSeen, TopUpSettings } from "../../console/api-types.ts";
import { budgets, projects } from "./mock-budgets.ts";
import { mockModel, mockProviders, moneyAnswers } from "./mock-money.ts";
import {
  account,
  at,
  call,
  isEmpty,
  key,
  keys,
  limits,
  models,
  now,
  receipt,
  series,
  summary,
} from "./mock-numbers.ts";
import { policies } from "./mock-policies.ts";
import { providerKeys } from "./mock-provider-keys.ts";

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
}

export interface MockAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

const sessions: SessionSeen[] = [
  {
    id: "ses_1",
    label: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/153.0 Safari/537.36",
    ip: "203.0.113.7",
    created_at: at(now - 9 * 86_400_000),
    seen_at: at(now),
    current: true,
  },
  {
    id: "ses_2",
    label: "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) Version/19.1 Safari/604.1",
    ip: "198.51.100.23",
    created_at: at(now - 20 * 86_400_000),
    seen_at: at(now - 2 * 86_400_000),
    current: false,
  },
];

const tokens = {
  ...{ access_token: "mock", token_type: "Bearer", expires_in: 600 },
  ...{ user: { id: account.user.id }, organization: { id: account.organization.id } },
};
const list = (data: unknown[], more = false) => ({
  object: "list",
  data: isEmpty ? [] : data,
  has_more: more,
  last_id: null,
});
const refusal = (code: number, message: string, headers: Record<string, string> = {}): MockAnswer => ({
  status: Math.floor(code / 100),
  headers,
  body: { error: { type: "invalid_request_error", code, message } },
});

const topUp: TopUpSettings = {
  ...{ object: "auto_top_up", state: "paused", not_before: null },
  ...{ below_points: "50", currency: "USD", amount: "100.00", month_max: "500.00" },
  ...{ month: at(now).slice(0, 7), month_used: "200.00", order: null },
  card: { brand: "visa", last_four: "4242", expires: "2028-08", removing: false },
  paused: { reason: "insufficient_funds", order: "ord_01KB3Q7M4V8F2N6C0T9XWZ5Y03", at: at(now - 3_600_000) },
};

const fixed: Record<string, (asked: Asked) => MockAnswer> = {
  ...moneyAnswers,
  "POST /api/v1/auth/code": () => ({ status: 202, body: { expires_in: 300, resend_in: 60 } }),
  "POST /api/v1/auth/sign-in": ({ body }) => {
    if (body.code === "000000") return refusal(40111, "The verification code is wrong.");
    if (body.code === "111111") return refusal(40113, "The phone number is not registered.");
    return { body: tokens, headers: { "set-cookie": "mock=1; Path=/" } };
  },
  "POST /api/v1/auth/sign-up": () => ({
    status: 201,
    body: tokens,
    headers: { "set-cookie": "mock=1; Path=/" },
  }),
  "POST /api/v1/auth/refresh": ({ headers }) =>
    headers.cookie?.includes("mock=1")
      ? { body: tokens }
      : refusal(40103, "The login session is invalid or expired."),
  "POST /api/v1/auth/sign-out": () => ({
    status: 204,
    headers: { "set-cookie": "mock=; Path=/; Max-Age=0" },
  }),
  "GET /api/v1/auth/sessions": () => ({ body: list(sessions) }),
  "GET /api/v1/account/passkeys": () => ({ body: list([]) }),
  "GET /api/v1/wallet-thresholds": () => ({
    body: { object: "wallet_thresholds", below_points: "50", below_days: 3 },
  }),
  "GET /api/v1/auto-top-up": () => ({ body: topUp }),
  "PUT /api/v1/auto-top-up": ({ body }) => ({ body: { ...topUp, ...body, state: body.on ? "on" : "off" } }),
  "GET /api/v1/account/mails": () => ({
    body: {
      ...{ object: "mail_choices", organization_id: "org_1", enabled: true, email_shown: "a…@example.com" },
      most_per_day: 20,
      groups: ["money", "plans", "keys", "people"].map((group) => ({
        ...{ group, level: "all", is_usual: true, levels: ["all", "own", "none"] },
      })),
    },
  }),
  "GET /api/v1/account": () => ({ body: account }),
  "PATCH /api/v1/account": () => ({ body: account }),
  "GET /api/v1/usage/summary": () => ({ body: summary }),
  "GET /api/v1/usage/series": ({ query }) => ({ body: series(query) }),
  "GET /api/v1/usage/export": () => ({ body: "a,b\n1,2\n" }),
  "GET /api/v1/keys": () => ({ body: list(keys) }),
  "POST /api/v1/keys": ({ body }) => ({
    body: { ...key(7, body as Partial<ApiKey>), key: "sk-payg-4q8Zc1hT0vXy2LmN6bRw9DfKs3JpGaUe7" },
  }),
  "GET /api/v1/calls": () => ({
    body: list(
      Array.from({ length: 30 }, (_, n) => call(n)),
      true,
    ),
  }),
  "GET /api/v1/limits": () => ({ body: limits }),
  "GET /api/v1/projects": () => ({ body: list(projects) }),
  "GET /api/v1/budgets": () => ({ body: list(budgets) }),
  "GET /api/v1/policies": () => ({ body: list(policies) }),
  "GET /api/v1/provider-keys": () => ({
    body: { ...list(providerKeys), fee: { share: "0.05", call: null } },
  }),
  "GET /api/v1/models": () => ({ body: list(models.map((id) => ({ id, display_name: id, ...mockModel }))) }),
  "PATCH /api/v1/organization": () => ({ body: {} }),
};

/** The answer to a request. Unknown paths are 40400. */
export function mockAnswers(asked: Asked): MockAnswer {
  const known = fixed[`${asked.method} ${asked.path}`];
  if (known) return known(asked);
  if (/^\/api\/v1\/members\/[^/]+\/keys$/.test(asked.path))
    return { body: list(keys.map((each, n) => ({ ...each, ends_with_member: n === 0 }))) };
  if (/^\/api\/v1\/keys\/[^/]+\/bounds$/.test(asked.path))
    return { body: { object: "key_bounds", budgets, policies } };
  if (/^\/api\/v1\/models\/[^/]+\/routes$/.test(asked.path)) return { body: mockProviders };
  const id = /^\/api\/v1\/requests\/(.+)$/.exec(asked.path)?.[1];
  if (id) return { body: receipt(id) };
  if (asked.method === "DELETE") return { body: { deleted: true } };
  return refusal(40400, "The resource does not exist.");
}
