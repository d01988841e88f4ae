/** The operators' API over the embedded DynamoDB: tokens as the command makes them, and routes as operators ask them. */
import { newId } from "#shared/base/platform/id.ts";
import type { Organization } from "#shared/books/accounts/account.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { parseCatalog } from "#shared/books/catalog/schema.ts";
import { creditedBy } from "#shared/books/ledger/credit.ts";
import { type AdminAnswerDeps, adminAnswers } from "#shared/edges/admin/operations/answers.ts";
import { createAdmin } from "#shared/edges/admin/pipeline.ts";
import type { ConsoleRequest } from "#shared/edges/console/call.ts";
import { makeAdminToken } from "#shared/edges/operator/admin-tokens.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createAuditedCredits, createCreditProposals } from "#shared/edges/store/admin/credits.ts";
import { createAdminTokens } from "#shared/edges/store/admin/tokens.ts";
import { createBoardReader } from "#shared/edges/store/board.ts";
import { createMonthCloses } from "#shared/edges/store/closes.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import { createPace } from "#shared/edges/store/identity/pace.ts";
import { createInvoices } from "#shared/edges/store/invoices.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import { createChannelRecords } from "#shared/edges/store/taken-out.ts";
import type { AdminScope } from "#shared/people/admin/token.ts";
import { catalogFile } from "./default-catalog.ts";
import type { Database } from "./dynamodb.ts";
import { openMembers } from "./members.ts";

export interface AdminAnswered {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at fields that they know.
  body: any;
}

/** How a request differs from a plain one. */
export interface AdminAsking {
  body?: object | string;
  /** The `Idempotency-Key` of a write: a new one where none is given, and none where it is null. */
  once?: string | null;
  headers?: Record<string, string>;
}

const catalog = createCatalog(parseCatalog(catalogFile));

/** The sum above which a credit of these tests takes two persons. */
const fourEyes = "100";

/** One process of the API, with organizations and people beside it. `desk.clock.now` is its time. */
export function openAdmin(db: Database, changes: Partial<AdminAnswerDeps> = {}) {
  const { aws, tables } = db;
  const desk = openMembers(db);
  const { now } = desk.deps;
  const tokens = createAdminTokens(aws, tables);
  const lines: { level: string; event: string; fields: object }[] = [];
  const deps: AdminAnswerDeps = {
    ...desk.deps,
    accounts: createAccounts(aws, tables),
    ledger: createLedger(aws, tables),
    meters: createMeters(aws, tables),
    members: createMembers(aws, tables),
    catalog,
    orders: createOrders(aws, tables),
    audit: desk.deps.auditLog,
    invoices: createInvoices(aws, tables),
    replays: createReplays(aws, tables),
    boards: createBoardReader(aws, tables),
    records: createChannelRecords(aws, tables),
    closes: createMonthCloses(aws, tables),
    credits: createAuditedCredits(aws, tables),
    proposals: createCreditProposals(aws, tables),
    tokens,
    fourEyesPoints: parsePoints(fourEyes),
    log: (level, event, fields = {}) => void lines.push({ level, event, fields }),
    ...changes,
  };
  const serve = createAdmin(adminAnswers(deps), { ...deps, tokens, pace: createPace(aws, tables, now) });
  let keys = 0;

  /** Makes a token, and gives its text. */
  const tokenOf = async (scopes: AdminScope[], person = "ann@example.com", name = "Ann's") =>
    await makeAdminToken({ name, person, scopes, days: 30, by: "arn:aws:iam::1:user/root" }, { tokens, now });

  /** Asks a route such as `GET /organizations?limit=1` with a text as bearer; undefined: with none. */
  const ask = async (
    bearer: string | undefined,
    route: string,
    { body, once, headers = {} }: AdminAsking = {},
  ): Promise<AdminAnswered> => {
    const [method = "", target = ""] = route.split(" ");
    const [path = "", query = ""] = target.split("?");
    keys += 1;
    const key = once === undefined ? `key-${keys}` : once;
    const request: ConsoleRequest = {
      ...{ id: newId("request", now()), method, ip: "203.0.113.7" },
      path: path.startsWith("/api/") ? path : `/api/admin/v1${path}`,
      query: new URLSearchParams(query),
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(method === "POST" && key !== null && { "idempotency-key": key }),
        ...headers,
      },
      body: Buffer.from(typeof body === "string" ? body : body ? JSON.stringify(body) : ""),
      ...{ received_at: now(), deadline_at: now() + 30_000 },
    };
    const reply = await serve(request);
    return { status: reply.status, headers: reply.headers, body: JSON.parse(String(reply.body)) };
  };

  return { desk, deps, tokens, tokenOf, ask, serve, lines };
}

/** Two persons of finance, and a customer with a wallet. */
export async function openFinance(db: Database) {
  const admin = openAdmin(db);
  const acme = await admin.desk.newOrganization();
  const [ann, bob] = [
    await admin.tokenOf(["finance"], "ann@example.com", "Ann"),
    await admin.tokenOf(["finance"], "bob@example.com", "Bob"),
  ];
  const balance = async () => formatPoints(await admin.deps.meters.balance(acme.wallet?.meter ?? ""));
  const lines = async ({ id }: Organization = acme) =>
    (await admin.deps.auditLog.entries(id, { limit: 50 })).entries;
  const booked = async () =>
    (await admin.deps.ledger.creditsAndFees(acme.id)).map((entry) => formatPoints(creditedBy(entry)));
  const propose = async (reference: string, points = "500") => {
    const body = { points, reference, reason: "a letter" };
    const { status, body: proposal } = await admin.ask(ann.token, `POST /organizations/${acme.id}/credits`, {
      body,
    });
    if (status !== 202) throw new Error(`the credit was not proposed: ${status}`);
    return String(proposal.id);
  };
  return { ...admin, acme, ann, bob, balance, lines, booked, propose };
}
