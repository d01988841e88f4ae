/** What the console's function needs, built once per cold start from the environment alone. */
import { join } from "node:path";
import catalogFile from "#catalog" with { type: "json" };
import { type Aws, awsOptionsFromEnv, createAws } from "#shared/base/platform/aws.ts";
import { required, variables } from "#shared/base/platform/env.ts";
import { send } from "#shared/base/platform/http-client.ts";
import { log } from "#shared/base/platform/log.ts";
import { pause } from "#shared/base/platform/pause.ts";
import { keptSecret, keptVersions } from "#shared/base/platform/secrets.ts";
import { type BundledCatalog, openCatalog, wholePrices } from "#shared/books/catalog/models.ts";
import { createAssets } from "#shared/edges/console/assets.ts";
import type { DeviceDeps } from "#shared/edges/console/operations/device-deps.ts";
import type { InvoiceAnswerDeps } from "#shared/edges/console/operations/invoices.ts";
import type { OrganizationAnswerDeps } from "#shared/edges/console/operations/organization.ts";
import { invitationsPort } from "#shared/edges/console/operations/organization-invitations.ts";
import type { PasskeyDeps } from "#shared/edges/console/operations/passkeys-deps.ts";
import type { PaymentAnswerDeps } from "#shared/edges/console/operations/payment-requests.ts";
import type { ScimDeps } from "#shared/edges/console/operations/scim-deps.ts";
import type { SignInDeps } from "#shared/edges/console/operations/sign-in-deps.ts";
import type { SignOnDeps } from "#shared/edges/console/operations/sign-on-deps.ts";
import type { UsageAnswerDeps } from "#shared/edges/console/operations/usage.ts";
import type { WebhookDeps } from "#shared/edges/console/operations/webhooks.ts";
import type { PipelineDeps } from "#shared/edges/console/pipeline.ts";
import { tellPlanEnds } from "#shared/edges/jobs/plan-notices.ts";
import { reconcile } from "#shared/edges/jobs/reconcile.ts";
import type { NewsDeps } from "#shared/edges/jobs/tell-news.ts";
import { createAccounts } from "#shared/edges/store/accounts.ts";
import { createBoardReader } from "#shared/edges/store/board.ts";
import type { TableNames } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createAuditLog } from "#shared/edges/store/identity/audit.ts";
import { createAuditedBudgets } from "#shared/edges/store/identity/audited-budgets.ts";
import { createAuditedKeys } from "#shared/edges/store/identity/audited-keys.ts";
import { createAuditedProjects } from "#shared/edges/store/identity/audited-projects.ts";
import { createCallers } from "#shared/edges/store/identity/callers.ts";
import { createCodes } from "#shared/edges/store/identity/codes.ts";
import { createConnections } from "#shared/edges/store/identity/connections.ts";
import { createDevices } from "#shared/edges/store/identity/devices.ts";
import { createDirectories } from "#shared/edges/store/identity/directories.ts";
import { createDomains } from "#shared/edges/store/identity/domains.ts";
import { createInvitations } from "#shared/edges/store/identity/invitations.ts";
import { createMembers } from "#shared/edges/store/identity/members.ts";
import { createPace } from "#shared/edges/store/identity/pace.ts";
import { createPasskeys } from "#shared/edges/store/identity/passkeys.ts";
import { createSessions } from "#shared/edges/store/identity/sessions.ts";
import { createSignOns } from "#shared/edges/store/identity/sign-on.ts";
import { createUserContacts } from "#shared/edges/store/identity/user-contacts.ts";
import { createUsers } from "#shared/edges/store/identity/users.ts";
import { createVelocity } from "#shared/edges/store/identity/velocity.ts";
import { createInvoices } from "#shared/edges/store/invoices.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createCountedMeters } from "#shared/edges/store/meters/counted.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { createDeliveries, createNewsLines } from "#shared/edges/store/news/deliveries.ts";
import { createEventsPlace, createNewsBus } from "#shared/edges/store/news/events.ts";
import { createWebhooks } from "#shared/edges/store/news/webhooks.ts";
import { createAutoTopUps } from "#shared/edges/store/orders/auto-top-ups.ts";
import { createOrders } from "#shared/edges/store/orders/orders.ts";
import { createPlanEnds } from "#shared/edges/store/orders/plan-ends.ts";
import { createRefusedCalls } from "#shared/edges/store/refused-calls.ts";
import { createReplays } from "#shared/edges/store/replays.ts";
import type { ByKind } from "#shared/people/identity/contact.ts";
import { createSendGuard } from "#shared/people/identity/guard.ts";
import { createGuessGuard } from "#shared/people/identity/guess-guard.ts";
import { identify } from "#shared/people/identity/identify.ts";
import { createIdentityKeys } from "#shared/people/identity/identity-keys.ts";
import { createMailSender } from "#shared/people/identity/mail/sender.ts";
import type { SendDeps } from "#shared/people/identity/send-once.ts";
import type { CodeSender, PlanNotices } from "#shared/people/identity/sending.ts";
import { createSmsSender } from "#shared/people/identity/sms/sender.ts";
import { keptSmsSettings } from "#shared/people/identity/sms/settings.ts";
import { readTaxRules } from "#shared/people/invoices/tax.ts";
import type { NewsMails } from "#shared/people/news/deliver-mail.ts";
import { createPaymentPlatforms } from "#shared/people/payments/platforms.ts";
import { createReadTexts } from "#shared/people/sign-on/dns.ts";
import { consoleSettings, contactRules } from "./console-settings.ts";
import { tablesIn } from "./tables.ts";

/** The browser's files lie beside the bundle, in which this is their folder. */
const files = join(import.meta.dirname, "console");

const catalog = openCatalog(catalogFile as unknown as BundledCatalog);

export type ConsoleDeps = PipelineDeps &
  SignInDeps &
  DeviceDeps &
  PasskeyDeps &
  UsageAnswerDeps &
  PaymentAnswerDeps &
  InvoiceAnswerDeps & {
    /** What members do in their organization. */
    organization: OrganizationAnswerDeps;
    /** Webhooks, and what they are told. */
    news: WebhookDeps & NewsDeps;
    /** What signing in by an organization's own provider needs. */
    signOn: SignOnDeps;
    /** What providers provision people with. */
    scim: ScimDeps;
    /** Asks the platforms about the orders that are due, tells owners whose plans end, and sends news. */
    reconcile: () => Promise<unknown>;
  };

/** Throws when a variable is missing, so that a wrong deploy fails at once. */
export function consoleDeps(): ConsoleDeps {
  const aws = createAws(awsOptionsFromEnv(process.env));
  const tables = tablesIn(["accounts", "keys", "counters", "ledger", "cache", "board"]);
  const books = booksDeps(aws, tables);
  const readPlatforms = keptSecret(aws, required("platformsSecret"), log);
  const organization = organizationDeps(aws, tables, books);
  const people = {
    ...signInDeps(aws, tables, books, readPlatforms),
    ...books,
    invitations: invitationsPort(organization),
  };
  const callers = createCallers(aws, tables);
  const settings = consoleSettings();
  const planEnds = createPlanEnds(aws, tables);
  const news = newsDeps(aws, tables, books, people.senders.email, organization);
  const payments = { ...books, ...paymentDeps(aws, tables, readPlatforms), catalog };
  return {
    ...people,
    ...payments,
    invoices: createInvoices(aws, tables),
    taxRules: readTaxRules(process.env[variables.taxRules]),
    organization,
    devices: createDevices(aws, tables),
    passkeys: createPasskeys(aws, tables),
    peppers: organization.peppers,
    auditedKeys: organization.auditedKeys,
    gatewayUrl: settings.gateway_url,
    news,
    ...companyDeps({ ...organization, ...people, ...signOnDeps(aws, tables) }),
    counted: createCountedMeters(aws, tables),
    replays: createReplays(aws, tables),
    refusedCalls: async () => createRefusedCalls(aws, tables),
    boards: createBoardReader(aws, tables),
    catalog,
    identify: (request) => identify(request, { ...people, callers }),
    asset: createAssets({ folder: files, settings }),
    reconcile: async () => {
      const { senders: notices } = people;
      const ends = { ...books, members: organization.members, notices, planEnds };
      // Loaded with the first run: a process that serves people alone tells no news.
      const { tellNews } = await import("#shared/edges/jobs/tell-news.ts");
      const telling = Promise.all([tellPlanEnds(ends), tellNews(news)]);
      return await reconcile(payments).finally(() => telling);
    },
  };
}

/** What sends mails, and how many a day; undefined where the stage sends none. */
function mailDeps(books: Pick<SendDeps, "log" | "now">, env: NodeJS.ProcessEnv = process.env) {
  const [from, endpoint] = [env[variables.mailFrom], env[variables.mailEndpoint]];
  if (!from) return undefined;
  const sender = createMailSender({ from, ...(endpoint && { endpoint }) }, books);
  return { sender, perDayMax: Number(required("mailsPerDay")) };
}

/** Mails of news get half as many as the stage sends codes, beside them (people/news/mails.md "Codes come first"). */
function newsMailsPerDay(): number {
  return Math.ceil(Number(required("mailsPerDay")) / 2);
}

type ConsoleTables = Pick<TableNames, "accounts" | "keys" | "counters" | "ledger">;

/** What several groups of operations need: the books, and the keys of people. */
function booksDeps(aws: Aws, tables: ConsoleTables) {
  return {
    keys: createIdentityKeys(keptVersions(aws, required("accountsSecret"), log)),
    accounts: createAccounts(aws, tables),
    ledger: createLedger(aws, tables, Date.now, wholePrices(catalog)),
    meters: createMeters(aws, tables),
    contacts: contactRules(),
    plan: catalog.plan,
    log,
    now: Date.now,
  };
}

/** What signing up, in and out needs beside that. */
function signInDeps(
  aws: Aws,
  tables: ConsoleTables,
  books: ReturnType<typeof booksDeps>,
  readPlatforms: () => Promise<string>,
): Omit<SignInDeps, "invitations" | keyof ReturnType<typeof booksDeps>> &
  Pick<DeviceDeps, "velocity"> & { senders: ByKind<CodeSender & PlanNotices> & { email: NewsMails | null } } {
  return {
    codes: createCodes(aws, tables),
    users: createUsers(aws, tables),
    userContacts: createUserContacts(aws, tables),
    sessions: createSessions(aws, tables),
    pace: createPace(aws, tables, Date.now),
    ...messageDeps(aws, tables, books, readPlatforms),
    isRegistrationOpen: process.env[variables.registration] !== "closed",
    pause,
    plans: () => Object.keys(catalog.plans()),
  };
}

/** What people of companies come by: both their sign-in and their provisioning know the same stores. */
function companyDeps(deps: SignOnDeps & ScimDeps) {
  return { signOn: deps, scim: deps };
}

/** The stores of sign-on, and how providers and DNS are asked. */
function signOnDeps(aws: Aws, tables: ConsoleTables) {
  const sandbox = process.env[variables.signOnSandbox];
  const fetching = { send, ...(sandbox && { sandbox }) };
  return {
    connections: createConnections(aws, tables),
    domains: createDomains(aws, tables),
    signOns: createSignOns(aws, tables),
    directories: createDirectories(aws, tables),
    velocity: createVelocity(aws, tables),
    readTexts: createReadTexts(fetching),
    fetching,
  };
}

/** What messages are sent with, and what bounds them and guesses. Sender and guard read their settings with the first one. */
function messageDeps(
  aws: Aws,
  tables: ConsoleTables,
  books: ReturnType<typeof booksDeps>,
  readPlatforms: () => Promise<string>,
) {
  const settings = keptSmsSettings(readPlatforms);
  const velocity = createVelocity(aws, tables);
  const perDayMax = Number(required("smsPerDay"));
  const deps = { ...books, countries: books.contacts.countries, settings, velocity };
  const mails = mailDeps(books);
  return {
    senders: { phone: createSmsSender(deps), email: mails?.sender ?? null },
    guard: createSendGuard({ ...deps, perDayMax: { phone: perDayMax, email: mails?.perDayMax ?? null } }),
    guesses: createGuessGuard(deps),
    velocity,
  };
}

/** What orders need: their store, the platforms by the secret `platforms`, and the log of changes. */
function paymentDeps(
  aws: Aws,
  tables: ConsoleTables,
  readSettings: () => Promise<string>,
): Pick<PaymentAnswerDeps, "orders" | "topUps" | "platforms" | "audit" | "notifyBase"> {
  return {
    orders: createOrders(aws, tables),
    topUps: createAutoTopUps(aws, tables),
    platforms: createPaymentPlatforms({ readSettings, log }),
    audit: createAuditLog(aws, tables),
    notifyBase: process.env[variables.notifyBase] || undefined,
  };
}

/** What members, invitations, the audit log and keys need. */
function organizationDeps(
  aws: Aws,
  tables: ConsoleTables,
  books: ReturnType<typeof booksDeps>,
): OrganizationAnswerDeps {
  const kmsKey = process.env[variables.ownKeysKey];
  return {
    ...books,
    members: createMembers(aws, tables),
    invitations: createInvitations(aws, tables),
    directories: createDirectories(aws, tables),
    auditLog: createAuditLog(aws, tables),
    auditedKeys: createAuditedKeys(aws, tables),
    auditedBudgets: createAuditedBudgets(aws, tables),
    auditedProjects: createAuditedProjects(aws, tables),
    peppers: keptVersions(aws, required("pepperSecret"), log),
    catalog,
    sealing: kmsKey ? { aws, kmsKey } : undefined,
    send,
  };
}

/** What webhooks and mails need, and whoever sends them. Only a local stage has an inbox, and may call this machine. */
function newsDeps(
  aws: Aws,
  tables: ConsoleTables,
  { keys, accounts, now }: ReturnType<typeof booksDeps>,
  mails: NewsMails | null,
  { members }: OrganizationAnswerDeps,
): WebhookDeps & NewsDeps {
  const { [variables.notifyBase]: consoleUrl, [variables.newsBus]: bus } = process.env;
  const velocity = createVelocity(aws, tables);
  const mailing = { members, accounts, velocity, keys, consoleUrl: consoleUrl || undefined, pause };
  return {
    webhooks: createWebhooks(aws, tables),
    deliveries: createDeliveries(aws, tables),
    lines: createNewsLines(aws, tables),
    auditLog: createAuditLog(aws, tables),
    localHosts: process.env[variables.inboxUrl] ? ["127.0.0.1", "localhost", "[::1]"] : [],
    members,
    mail: mails ? { ...mailing, mails, perDayMax: newsMailsPerDay() } : undefined,
    events: bus ? { bus: createNewsBus(aws, bus), place: createEventsPlace(aws, tables) } : undefined,
    ...{ keys, send, log, now },
  };
}
