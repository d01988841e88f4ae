/** What the operators' API answers. Where it shows what a command shows, the schema has the members that it always has. */

import { creditKinds, operatorKinds } from "../../books/ledger/credit.ts";
import { adminScopes } from "../../people/admin/token.ts";
import { auditEntry } from "./audit-schemas.ts";
import { id } from "./console-schemas.ts";
import { apiKey } from "./key-schemas.ts";
import * as s from "./schema.ts";

const maybeText = s.orNull(s.string);
const maybeInstant = s.orNull(s.instant);
const minutes = s.closed({
  ...{ answers: s.integer, faults: s.integer, limited: s.integer },
  first_byte_p50_ms: s.orNull(s.number),
  first_byte_p95_ms: s.orNull(s.number),
});
const channel = {
  ...{ id: s.string, model: s.string, provider: s.string, name: s.string },
  ...{ priority: s.number, weight: s.number, keys: s.list(s.string), state: s.string },
  has_keys: s.orNull(
    s.such(
      s.boolean,
      "Null: the console's function may not read the providers' secret. `channel list` tells it.",
    ),
  ),
  until: maybeInstant,
  taken_out: s.orNull(s.closed({ by: s.string, at: s.instant, why: s.string })),
  ...{ last_2_minutes: minutes, last_20_minutes: minutes },
};
const model = { model: s.string, price_of: maybeText, price_source: maybeText };
const { billing_mode, project_id, status } = apiKey;
const signer = s.closed({ token: id("adt"), name: s.string, person: s.string });

export const creditKind = s.oneOf(operatorKinds);

export const adminSchemas = {
  Token: s.closed({
    ...{ id: id("adt"), name: s.string, person: s.string },
    scopes: s.such(s.string, { description: `Of ${adminScopes.join(", ")}.`, examples: ["support,finance"] }),
    state: s.oneOf(["in force", "over", "revoked"]),
    ...{ made_at: s.instant, made_by: s.string, ends_at: s.instant },
    ...{ revoked_at: maybeInstant, revoked_by: maybeText },
  }),
  OrganizationLine: s.closed({
    ...{ id: id("org"), name: s.string, status: s.oneOf(["active", "frozen"]) },
    ...{ subscription: maybeText, ends_at: maybeInstant, balance_points: s.orNull(s.points) },
    created_at: s.instant,
  }),
  Organization: s.object(
    {
      ...{ id: id("org"), name: s.string, status: s.oneOf(["active", "frozen"]) },
      subscription: s.orNull(
        s.object({ plan: s.string, period: s.string, started_at: s.instant, ends_at: maybeInstant }),
      ),
      wallet: s.orNull(s.closed({ balance_points: s.points, shards: s.integer })),
      permissions: s.list(s.string),
    },
    { refundable: s.list(s.closed({ order: id("ord"), refundable: s.string, currency: s.string })) },
  ),
  Credited: s.object({
    ...{ id: id("org"), name: s.string },
    credit: s.closed({
      ...{
        reference: s.string,
        kind: s.string,
        points: s.points,
        at: s.instant,
        debit: s.string,
        credit: s.string,
      },
      booked: s.such(s.boolean, "False: the reference was booked before, and nothing was booked now."),
    }),
  }),
  Key: s.object({
    ...{ id: id("key"), object: s.just("api_key"), name: s.string, billing_mode, project_id },
    ...{ status, last_four: s.string, created_at: s.instant, expires_at: maybeInstant },
  }),
  Project: s.object({
    ...{ id: s.string, object: s.just("project"), name: s.string, status: s.oneOf(["active", "archived"]) },
    keys_in_use: s.integer,
  }),
  OrderLine: s.object({
    ...{ id: id("ord"), organization: id("org"), kind: s.string, channel: s.string, state: s.string },
    ...{ amount: s.string, currency: s.string, paid: maybeText, created_at: s.instant },
  }),
  Order: s.object({
    ...{ id: id("ord"), organization: id("org"), kind: s.string, channel: s.string, state: s.string },
    ...{ amount: s.string, currency: s.string, points: s.points, paid: maybeText, booked_as: maybeText },
    refundable: s.orNull(s.such(s.string, "What of it can be paid back now.")),
    payment: s.orNull(s.object({ transaction: s.string, via: s.string, at: s.instant })),
    doubt: s.orNull(
      s.object({
        fields: s.such(s.string, "What differs from the order, with spaces between."),
        ...{ transaction: maybeText, amount_minor: s.orNull(s.integer), currency: maybeText },
        ...{ refunded_minor: s.orNull(s.integer), at: s.instant, via: s.string },
      }),
    ),
    created_at: s.instant,
  }),
  InvoiceLine: s.object({
    ...{ id: id("ivc"), organization: id("org"), state: s.string, number: maybeText },
    ...{ amount: s.string, currency: s.string, title: s.string, created_at: s.instant },
  }),
  Invoice: s.object({
    ...{ id: id("ivc"), organization: id("org"), state: s.string, number: maybeText },
    ...{ amount: s.string, currency: s.string, orders: s.list(id("ord")), paid_back: s.string },
    title: s.object({ kind: s.string, name: s.string, tax_id: maybeText }),
    ...{ email: s.string, file: maybeText, reason: maybeText, created_at: s.instant },
  }),
  CreditLine: s.closed({
    ...{ at: s.instant, reference: s.string, kind: s.oneOf(creditKinds) },
    ...{ points: s.points, credited_points: s.such(s.points, "The sum of all credits up to this one.") },
  }),
  AuditEntry: s.closed(auditEntry),
  Channel: s.closed(channel),
  ChannelWhole: s.closed({
    channels: s.list(s.object(channel)),
    acts: s.list(
      s.closed({ at: s.instant, what: s.string, by: s.string, until: maybeInstant, why: maybeText }),
    ),
  }),
  ModelLine: s.closed({ ...model, providers: s.string, context: s.orNull(s.integer), price: s.string }),
  Model: s.object(
    {
      ...model,
      ...{ display_name: s.string, aliases: maybeText, owned_by: s.string, capabilities: s.string },
      ...{ context_tokens: s.integer, output_tokens: s.integer, discount_rate: s.string },
      price: s.such(s.anything, "In force now, in the form of the catalog."),
      ...{ plans: maybeText, price_version: s.string },
      channels: s.list(
        s.object({ id: s.string, provider: s.string, name: s.string, priority: s.number, weight: s.number }),
      ),
    },
    { next_price: s.object({ from: s.string, price: s.anything, discount_rate: s.string }) },
  ),
  MonthLine: s.closed({
    ...{ month: s.string, closed_at: s.instant, closed_by: s.string, sha256: s.string },
    accepted: s.orNull(s.such(s.string, "The checks that did not hold, with spaces between.")),
  }),
  ClosedMonth: s.object({
    ...{ month: s.string, closed_at: s.instant, closed_by: s.string, counts_until: s.instant },
    reason: s.orNull(s.such(s.string, "Why checks that did not hold were accepted.")),
    previous: s.orNull(s.closed({ month: s.string, sha256: s.string })),
    checks: s.list(s.closed({ name: s.string, holds: s.boolean, detail: s.string, accepted: s.boolean })),
    accounts: s.list(
      s.closed({
        ...{ account: s.string, debit: s.points, credit: s.points },
        ...{ opening: s.orNull(s.points), closing: s.orNull(s.points) },
      }),
    ),
    late: s.list(s.closed({ month: s.string, entries: s.integer })),
    margin: s.object({
      ...{ calls: s.integer, charged: s.points, fees: s.points, revenue: s.points, list: s.points },
      ...{ house_cost: s.string, unknown_cost_calls: s.integer, margin: maybeText, plan_margin: maybeText },
    }),
    currency: s.orNull(s.object({ code: s.string, points_per_unit: s.string })),
    ...{ sha256: s.string, signature: s.string, public_key: s.string },
    signed_text: s.such(s.string, "The text that is hashed and signed."),
  }),
  Proposal: s.closed({
    ...{ id: id("prp"), object: s.just("credit_proposal"), organization: id("org") },
    ...{ points: s.points, kind: creditKind, reference: s.string, why: s.string, proposed_by: signer },
    state: s.such(s.oneOf(["open", "over", "confirmed", "refused"]), "`over`: nobody has decided in time."),
    ...{ created_at: s.instant, ends_at: s.instant },
    ...{ decided_by: s.orNull(signer), decided_at: maybeInstant, decided_why: maybeText },
  }),
  Confirmed: s.object({
    ...{ id: id("prp"), object: s.just("credit_proposal"), state: s.just("confirmed") },
    ...{ proposed_by: signer, decided_by: signer, organization: s.ref("Credited") },
  }),
  DryRun: s.object(
    { object: s.just("dry_run"), would: s.such(s.string, "What the write would do, in one word.") },
    {
      balance_points: s.points,
      balance_points_after: s.such(s.points, "Of credits alone, as is the other."),
    },
    "Nothing was written.",
  ),
};
