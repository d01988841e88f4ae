/** Made-up answers about orders, plans, invoices and members, for looking at pages. */
import type {
  AuditEntry,
  Invitation,
  Invoice,
  InvoiceableOrder,
  Member,
  Model,
  ModelProviders,
  Order,
  PaymentMethod,
  Plan,
  PlanQuote,
  StatementMonth,
} from "../../console/api-types.ts";
import type { Asked, MockAnswer } from "./mock-answers.ts";

const now = Date.now();
const minuteMs = 60_000;
const dayMs = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();
const isEmpty = process.env.EMPTY === "1";
const list = (data: unknown[]): MockAnswer => ({
  body: { object: "list", data: isEmpty ? [] : data, has_more: false, last_id: null },
});

const methods: PaymentMethod[] = [
  { currency: "CNY", channels: ["alipay", "wechat"], points_per_unit: "1", min: "1.00", max: "50000.00" },
  { currency: "USD", channels: ["stripe"], points_per_unit: "7", min: "1.00", max: "5000.00" },
];

const order = (n: number, more: Partial<Order>): Order => ({
  object: "order",
  id: `ord_01KB3Q7M4V8F2N6C0T9XWZ5Y0${n}`,
  kind: "recharge",
  channel: "alipay",
  state: "credited",
  currency: "CNY",
  amount: "100.00",
  points: "100",
  plan: null,
  qr_code: null,
  pay_url: null,
  review: null,
  booked_as: "points",
  credited_points: more.points ?? "100",
  paid: more.amount ?? "100.00",
  refunded: "0.00",
  refundable: null,
  created_at: at(now - n * 9 * 3_600_000),
  expires_at: at(now - n * 9 * 3_600_000 + 15 * minuteMs),
  ...{ asked_at: null, paid_at: null, credited_at: null, closed_at: null },
  ...more,
});

const pending = { expires_at: at(now + 14 * minuteMs), created_at: at(now - minuteMs) };
const unbooked = { booked_as: null, credited_points: null, paid: null };
const orders: Order[] = [
  order(1, {
    ...pending,
    ...unbooked,
    state: "pending",
    qr_code: "http://127.0.0.1:8791/pay/5f2c0b1de3a94b7c",
  }),
  order(2, {
    ...{ ...pending, ...unbooked },
    state: "pending",
    channel: "stripe",
    currency: "USD",
    pay_url: "https://pay.test/c",
  }),
  order(3, { state: "closed", ...unbooked }),
  order(4, { state: "review", review: "differs", ...unbooked, channel: "wechat" }),
  order(5, { amount: "1000.00", points: "1000", paid: "999.00", credited_points: "999" }),
  order(6, { state: "partly_refunded", amount: "500.00", points: "500", refunded: "120.00" }),
  order(7, {
    kind: "plan",
    plan: { plan: "pro", period: "monthly", action: "upgrade" },
    booked_as: "plan",
    amount: "421.33",
  }),
];

const prices = (monthly: string, quarterly: string, yearly: string) => ({ monthly, quarterly, yearly });
const quotas = (monthly: number, quarterly: number, yearly: number) => ({ monthly, quarterly, yearly });
const usual = { object: "plan", n_max: null, routing: "smart", ways: {}, video: {} } as const;
const plans: Plan[] = [
  {
    ...usual,
    plan: "free",
    price_points: prices("0", "0", "0"),
    prices: { CNY: prices("0", "0", "0") },
    quota: quotas(100, 100, 100),
    ...{ rpm: 3, tpm: 20_000, tpd: 200_000, models: ["openai/*-mini"], cache: false },
    ...{ tools: {}, list_points_max: { call: "1", day: "2", above: "refuse" } },
  },
  {
    ...usual,
    plan: "lite",
    price_points: prices("129", "327", "1188"),
    prices: { CNY: prices("129", "327", "1188") },
    quota: quotas(1_000, 1_100, 1_200),
    ...{ rpm: 60, tpm: 400_000, tpd: 8_000_000, models: ["*"], cache: false },
    ...{ tools: { web_search: 10 }, list_points_max: { call: "1", above: "count" } },
  },
  {
    ...usual,
    plan: "pro",
    price_points: prices("599", "1647", "5988"),
    prices: { CNY: prices("599", "1647", "5988") },
    quota: quotas(10_000, 12_500, 15_000),
    ...{ rpm: 600, tpm: 4_000_000, tpd: null, models: ["*"], cache: true },
    ...{ tools: { web_search: 50, image_generation: 10 }, list_points_max: null },
  },
];

const quote = (query: URLSearchParams): PlanQuote => ({
  object: "plan_quote",
  plan: query.get("plan") ?? "pro",
  period: "monthly",
  action: "upgrade",
  channel: "alipay",
  currency: query.get("currency") ?? "CNY",
  pay: "470.00",
  deal: "6c1f0b9d2e7a4835",
  credit: "129.00",
  from: at(now),
  until: at(now + 30 * dayMs),
});

const title = {
  kind: "company",
  name: 'Kestrel "Robotics" <b>Ltd</b>',
  tax_id: "91350100M000100Y43",
} as const;
const invoice = (n: number, more: Partial<Invoice>): Invoice => ({
  object: "invoice",
  id: `inv_01KB3Q7M4V8F2N6C0T9XWZ5Y0${n}`,
  number: null,
  state: "requested",
  amount: "1000.00",
  currency: "CNY",
  tax: null,
  orders: [orders[4]?.id ?? ""],
  title,
  email: "finance@kestrel.example",
  file: null,
  created_at: at(now - n * 5 * dayMs),
  issued_at: null,
  ended_at: null,
  reason: null,
  ...more,
});
const issued = { number: "INV-2026-000123", issued_at: at(now - 8 * dayMs) };
const invoices: Invoice[] = [
  invoice(1, {}),
  invoice(2, {
    state: "issued",
    tax: { name: "VAT", rate: "6", net: "943.40", tax: "56.60", gross: "1000.00", reverse_charge: false },
    ...issued,
  }),
  invoice(3, { state: "rejected", reason: "The tax id belongs to another company." }),
  invoice(4, { state: "voided", ...issued, title: { kind: "personal", name: "林月", tax_id: null } }),
];
const invoiceable = [5, 6].map(
  (n): InvoiceableOrder => ({
    object: "invoiceable_order",
    kind: n === 5 ? "recharge" : "plan",
    order: orders[n]?.id ?? "",
    amount: n === 5 ? "380.00" : "421.33",
    currency: "CNY",
    paid_at: at(now - n * dayMs),
  }),
);

const months: StatementMonth[] = [
  { month: "2026-11", opening_points: "1284.2", closing_points: "412.338201", is_running: true },
  { month: "2026-10", opening_points: "0", closing_points: "1284.2", is_running: false },
];

const member = (n: number, name: string, role: Member["role"]): Member => ({
  object: "member",
  id: `usr_${n}`,
  ...{ name, role, phone_last_four: `800${n}`, email_shown: null, status: n === 4 ? "frozen" : "active" },
  group_projects: n === 2 ? ["search"] : [],
  joined_at: at(now - n * 30 * dayMs),
});
const members = [
  member(1, "Lin Yue", "owner"),
  member(2, "Amara Okafor", "admin"),
  member(3, "", "finance"),
  member(4, '<script>alert("x")</script>', "member"),
];
const invitation = (more: Partial<Invitation>): Invitation => ({
  object: "invitation",
  id: "vit_1",
  role: "member",
  phone_last_four: "4417",
  email_shown: null,
  created_by: { id: "usr_1", name: "Lin Yue" },
  created_at: at(now - dayMs),
  expires_at: at(now + 6 * dayMs),
  ...more,
});

const entry = (n: number, more: Partial<AuditEntry>): AuditEntry => ({
  object: "audit_entry",
  id: `aud_${n}`,
  kind: "member_role_changed",
  subject: "usr_2",
  actor: { id: "usr_1", name: "Lin Yue" },
  credential: "ses_1",
  forwarded_for: null,
  ip: "203.0.113.7",
  before: null,
  after: null,
  created_at: at(now - n * 7 * 3_600_000),
  ...more,
});
const entries: AuditEntry[] = [
  entry(1, { before: { role: "member" }, after: { role: "admin" } }),
  entry(2, { kind: "key_created", subject: "key_01KB3Q7M", after: { name: "Search", billing_mode: "payg" } }),
  entry(3, {
    kind: "order_credited",
    subject: orders[4]?.id ?? "",
    actor: { id: "platform", name: "" },
    ip: null,
    after: { points: "1000", channel: "alipay" },
  }),
  entry(4, {
    kind: "organization_renamed",
    before: { name: "Kestrel" },
    after: { name: "Kestrel Robotics" },
  }),
  entry(5, { kind: "invoice_rejected", actor: { id: "operator", name: "" }, after: { reason: "tax id" } }),
];

/** What every model of the list has. */
export const mockModel: Omit<Model, "id" | "display_name"> = {
  ...{ object: "model", type: "model", name: "models/acme", displayName: "Acme", video: null },
  ...{ created_at: "2026-05-28T20:26:40.000Z", thinking: true, supportedGenerationMethods: [] },
  ...{ inputTokenLimit: 400_000, outputTokenLimit: 64_000 },
  ...{
    owned_by: "acme",
    aliases: [],
    created: 1_780_000_000,
    context_tokens: 400_000,
    output_tokens: 64_000,
  },
  ...{ permission: null, providers: ["acme"], inputs: ["image"], reasoning_efforts: ["low", "high"] },
  price_source: { source: "https://acme.example/pricing", as_of: "2026-11-20" },
  capabilities: ["chat", "stream"],
  protocols: ["openai"],
  price: { mode: "flat_tokens", input: "1.25", output: "10", cache_read: "0.125", cache_write: "1.25" },
  discount_rate: "1",
  plans: ["lite", "pro"],
};

export const mockProviders: ModelProviders = {
  object: "list",
  model: "acme/one",
  at: "2026-11-28T12:00:00.000Z",
  data: [
    {
      ...{ provider: "acme", asked: "first", state: "good", uptime_5m: 1, uptime_15m: 0.998 },
      ...{ first_byte_ms: { p50: 420, p95: 1300 }, tokens_per_second: 84 },
    },
    {
      ...{ provider: "globex", asked: "later", state: "limited", uptime_5m: 0.9, uptime_15m: 0.91 },
      ...{ first_byte_ms: { p50: null, p95: null }, tokens_per_second: null },
    },
  ],
};

type Answer = (asked: Asked) => MockAnswer;

/** By method and path. */
export const moneyAnswers: Record<string, Answer> = {
  "GET /api/v1/payment-methods": () => list(methods),
  "GET /api/v1/recharges": () => list(orders),
  "POST /api/v1/recharges": () => ({ status: 201, body: orders[0] }),
  "GET /api/v1/plans": () => ({ body: { object: "list", data: plans, has_more: false, last_id: null } }),
  "GET /api/v1/plans/quote": ({ query }) => ({ body: quote(query) }),
  "POST /api/v1/plan-orders": () => ({ status: 201, body: orders[0] }),
  "GET /api/v1/invoices": () => list(invoices),
  "POST /api/v1/invoices": () => ({ status: 201, body: invoices[0] }),
  "GET /api/v1/invoices/orders": () => list(invoiceable),
  "GET /api/v1/statements": () => list(months),
  "GET /api/v1/members": () => list(members),
  "PATCH /api/v1/members/usr_2": () => ({ body: members[1] }),
  "GET /api/v1/invitations": () =>
    list([invitation({}), invitation({ id: "vit_2", role: "finance", phone_last_four: null })]),
  "POST /api/v1/invitations": () => ({
    status: 201,
    body: { ...invitation({ id: "vit_3" }), token: "4q8Zc1hT0vXy2LmN6bRw9DfKs3JpGaUe7YtHiOkPzQ" },
  }),
  "GET /api/v1/audit-log": () => list(entries),
  ...Object.fromEntries(orders.map((each) => [`GET /api/v1/recharges/${each.id}`, () => ({ body: each })])),
};
