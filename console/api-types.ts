/** What the console's API and that of operators answer, by the schemas of their documents (shared/edges/openapi/README.md). */
import type { BudgetPeriod, PlanPeriod } from "../shared/books/accounts/account.ts";
import type { AdminSchema, ConsoleSchema as Schema } from "../shared/edges/openapi/route-types.ts";
import type { Right } from "../shared/people/identity/roles.ts";
import type { Role } from "../shared/people/identity/user.ts";

export type { BudgetPeriod, PlanPeriod, Right, Role };

export interface List<Item> {
  data: readonly Item[];
  has_more: boolean;
  last_id: string | null;
}

export type Tokens = Schema<"Tokens">;
export type SentCode = Schema<"SentCode">;
export type SignedIn = Schema<"SignedIn">;
export type Account = Schema<"Account">;
export type SessionSeen = Schema<"Session">;
/** A program that waits to be signed in, and one that is. */
export type Device = Schema<"Device">;
export type Program = Schema<"Program">;
/** The secret is only in the answer that makes the key. */
export type ApiKey = Schema<"ApiKey">;
export type MadeKey = Schema<"CreatedKey">;
export type BillingMode = ApiKey["billing_mode"];

export type UsageSeries = Schema<"UsageSeries">;
export type SeriesBy = UsageSeries["by"];
export type SeriesStep = UsageSeries["step"];
export type UsageLine = UsageSeries["series"][number];
/** Tokens by what they are billed as, and calls with their cost. Input leaves out what a cache read or wrote. */
export type Figures = UsageSeries["totals"];
export type UsageSummary = Schema<"UsageSummary">;
export type Limits = Schema<"Limits">;
/** The limits are null where no paid period runs: then every call is refused. */
export type PlanUse = NonNullable<Limits["subscription"]>;
export type KeyUse = Limits["keys"][number];
export type LimitUse = NonNullable<PlanUse["rpm"]>;
export type Model = Schema<"Model">;
export type ModelProviders = Schema<"ModelProviders">;

export type Call = Schema<"Call">;
/** A pending or repeated call has no figures. */
export type Receipt = Schema<"Receipt">;
/** Why a call failed or was refused. Lists have no advice. */
export type CallError = NonNullable<Call["error"]> & Partial<NonNullable<Receipt["error"]>>;
export type Priced = NonNullable<Receipt["correction"]>["estimate"];
export type ReceiptLine = Priced["lines"][number];

export type PaymentMethod = Schema<"PaymentMethod">;
export type Order = Schema<"Order">;
export type OrderState = Order["state"];
export type Plan = Schema<"Plan">;
export type PlanQuote = Schema<"PlanQuote">;
export type Invoice = Schema<"Invoice">;
export type InvoiceableOrder = Schema<"InvoiceableOrder">;
export type StatementMonth = Schema<"MonthBalance">;
export type LevelBudget = Schema<"LevelBudget">;
export type KeyBounds = Schema<"KeyBounds">;
export type LevelPolicy = Schema<"LevelPolicy">;
export type Project = Schema<"Project">;
export type ProviderKey = Schema<"ProviderKey">;
export type SignOn = Schema<"SignOn">;
export type SignOnConnection = Schema<"Connection">;
export type Provisioning = Schema<"Provisioning">;
export type ClaimedDomain = Schema<"Domain">;
export type Member = Schema<"Member">;
export type Invitation = Schema<"Invitation">;
/** Null: it is not low by this. */
export type WalletThresholds = Schema<"WalletThresholds">;
export type TopUpSettings = Schema<"AutoTopUp">;
export type MailChoices = Schema<"MailChoices">;
export type Webhook = Schema<"Webhook">;
export type Delivery = Schema<"Delivery">;
export type AuditEntry = Schema<"AuditEntry">;

/** What operators are shown. A line is one of a list. */
export type OperatorToken = AdminSchema<"Token">;
export type OperatedOrganization = AdminSchema<"Organization">;
export type OperatedKey = AdminSchema<"Key">;
export type OperatedOrder = AdminSchema<"Order">;
export type OperatedOrderLine = AdminSchema<"OrderLine">;
export type OperatedInvoice = AdminSchema<"Invoice">;
export type OperatedInvoiceLine = AdminSchema<"InvoiceLine">;
export type OperatedChannel = AdminSchema<"Channel">;
export type OperatedModel = AdminSchema<"Model">;
export type OperatedModelLine = AdminSchema<"ModelLine">;
export type CreditProposal = AdminSchema<"Proposal">;
export type ClosedMonth = AdminSchema<"ClosedMonth">;
/** What a write would do. */
export type DryRun = AdminSchema<"DryRun">;
