/** What operators read over HTTP: the same operations as the commands have (edges/admin/README.md "Routes"). */
import { GatewayError } from "../../../base/errors.ts";
import { type HttpReply, jsonReply } from "../../../base/http/message.ts";
import { readQuery } from "../../../base/http/query.ts";
import { invalidField } from "../../../base/json/fields.ts";
import { isId } from "../../../base/platform/id.ts";
import { normalName } from "../../../books/accounts/pattern.ts";
import type { ModelCatalog } from "../../../books/catalog/models.ts";
import type { AuditLog } from "../../../people/identity/audit.ts";
import type { RefundDeps } from "../../../people/orders/refund.ts";
import { entryObject } from "../../console/operations/organization-audit.ts";
import {
  type CreditListDeps,
  listCredits,
  listKeys,
  listOrganizations,
  type OrganizationListDeps,
} from "../../operator/account-lists.ts";
import { adminTokenLine } from "../../operator/admin-tokens.ts";
import { type ChannelShowing, listChannels, showChannel } from "../../operator/channels.ts";
import { type InvoiceAdminDeps, listInvoices, showInvoiceOf } from "../../operator/invoices.ts";
import { modelLine, modelsLike, showModelOf } from "../../operator/model-lines.ts";
import { listOrders } from "../../operator/order-lists.ts";
import { refundablesOf, showOrderOf } from "../../operator/orders.ts";
import { showOrganization } from "../../operator/organizations.ts";
import { listProjectsOf, type OperatedProjectDeps } from "../../operator/projects.ts";
import type { AdminCall } from "../call.ts";
import { anyText, noQuery, organizationAt, pageReaders, pageReply } from "./request.ts";

/** What the reading routes need. The composition gives the whole stores. */
export interface AdminReadingDeps
  extends Omit<RefundDeps, "catalog" | "accounts" | "ledger" | "meters" | "now"> {
  accounts: RefundDeps["accounts"] & OrganizationListDeps["accounts"] & OperatedProjectDeps["accounts"];
  ledger: RefundDeps["ledger"] & CreditListDeps["ledger"];
  meters: RefundDeps["meters"] & OperatedProjectDeps["meters"] & OrganizationListDeps["meters"];
  members: OperatedProjectDeps["members"];
  invoices: InvoiceAdminDeps["invoices"];
  auditLog: AuditLog;
  catalog: ModelCatalog;
  boards: ChannelShowing["boards"];
  records: ChannelShowing["records"];
  now: () => number;
}

/** `GET /token`: whose token asks. */
export async function showOwnToken(call: AdminCall, { now }: AdminReadingDeps): Promise<HttpReply> {
  noQuery(call);
  return jsonReply(adminTokenLine(call.token, now()));
}

/** `GET /organizations?name=&limit=&after=`: as `org list`. */
export async function listAllOrganizations(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  const page = readQuery(call.request.query, { ...pageReaders, name: anyText });
  const { organizations, more } = await listOrganizations(page, deps);
  return pageReply(organizations, more, organizations.at(-1)?.id ?? null);
}

/** `GET /organizations/{id}`: as `org show`. */
export async function showOneOrganization(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  noQuery(call);
  const organization = await organizationAt(call, deps);
  const refundable = await refundablesOf(organization, deps);
  return jsonReply({ ...(await showOrganization(organization, deps)), refundable });
}

/** `GET /organizations/{id}/keys?limit=&after=`: as `key list`. */
export async function listKeysOf(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  const page = readQuery(call.request.query, pageReaders);
  const { keys, more, last } = await listKeys(await organizationAt(call, deps), page, deps);
  return pageReply(keys, more, last);
}

/** `GET /organizations/{id}/projects`: as `project list`. An organization has a few. */
export async function listProjects(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  noQuery(call);
  const projects = await listProjectsOf(await organizationAt(call, deps), deps);
  return pageReply(projects, false, projects.at(-1)?.id ?? null);
}

/** `GET /organizations/{id}/orders?limit=&after=`: as `order list --org`. */
export async function listOrdersOf(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  const { limit, after } = readQuery(call.request.query, pageReaders);
  const { id: organization } = await organizationAt(call, deps);
  checkAfter(after, "order");
  const { orders, more } = await listOrders({ organization, limit, ...(after && { after }) }, deps);
  return pageReply(orders, more, orders.at(-1)?.id ?? null);
}

/** `GET /organizations/{id}/invoices?limit=&after=`: as `invoice list --org`. */
export async function listInvoicesOf(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  const { limit, after } = readQuery(call.request.query, pageReaders);
  const { id: organization } = await organizationAt(call, deps);
  checkAfter(after, "invoice");
  const { invoices, more } = await listInvoices({ organization, limit, ...(after && { after }) }, deps);
  return pageReply(invoices, more, invoices.at(-1)?.id ?? null);
}

/** `GET /organizations/{id}/credits?limit=&after=`: as `org credits`. It reads all, because each tells the sum up to it. */
export async function listCreditsOf(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  const { limit, after } = readQuery(call.request.query, pageReaders);
  const { id } = await organizationAt(call, deps);
  const all = await listCredits(deps.ledger, id);
  const before = after === undefined ? -1 : all.findIndex(({ reference }) => reference === after);
  if (after !== undefined && before < 0) throw wrongAfter();
  const page = all.slice(before + 1, before + 1 + limit);
  return pageReply(page, before + 1 + limit < all.length, page.at(-1)?.reference ?? null);
}

/** `GET /organizations/{id}/audit-log?limit=&after=`: all of it, the newest first. */
export async function listAuditLogOf(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  const { limit, after } = readQuery(call.request.query, pageReaders);
  const { id } = await organizationAt(call, deps);
  checkAfter(after, "audit");
  const { entries, more, last } = await deps.auditLog.entries(id, { limit, ...(after && { after }) });
  return pageReply(entries.map(entryObject), more, last);
}

/** `GET /orders/in-review?limit=&after=`: as `order list --state review`, over all organizations. */
export async function listReviews(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  const { limit, after } = readQuery(call.request.query, pageReaders);
  checkAfter(after, "order");
  const { orders, more } = await listOrders({ state: "review", limit, ...(after && { after }) }, deps);
  return pageReply(orders, more, orders.at(-1)?.id ?? null);
}

/** `GET /orders/{id}`: as `order show`. */
export async function showOrder(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  noQuery(call);
  return jsonReply(await showOrderOf(call.parameters.id ?? "", deps));
}

/** `GET /invoices/waiting?limit=`: as `invoice list`. Who issues or rejects the first ones sees the next. */
export async function listWaitingInvoices(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  const { limit } = readQuery(call.request.query, { limit: pageReaders.limit });
  const { invoices, more } = await listInvoices({ limit }, deps);
  return pageReply(invoices, more, null);
}

/** `GET /invoices/{id}`: as `invoice show`. */
export async function showInvoice(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  noQuery(call);
  return jsonReply(await showInvoiceOf(call.parameters.id ?? "", deps));
}

/** `GET /channels?model=&provider=&out=`: as `channel list`. The console's function reads no provider's key. */
export async function listAllChannels(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  const { model, provider, out } = readQuery(call.request.query, {
    ...{ model: anyText, provider: anyText },
    out: readFlag,
  });
  const lines = await listChannels({ model, provider, out }, { ...deps, keys: undefined });
  return pageReply(lines, false, null);
}

/** `GET /channels/{id}`: as `channel show`. */
export async function showOneChannel(call: AdminCall, deps: AdminReadingDeps): Promise<HttpReply> {
  noQuery(call);
  return jsonReply(await showChannel(call.parameters.id ?? "", { ...deps, keys: undefined }));
}

/** `GET /models?provider=&like=`: as `model list`, of the catalog that is in force. */
export async function listAllModels(call: AdminCall, { catalog, now }: AdminReadingDeps): Promise<HttpReply> {
  const wanted = readQuery(call.request.query, { provider: anyText, like: anyText });
  const lines = modelsLike(catalog.models(), wanted).map((model) => modelLine(model, now()));
  return pageReply(lines, false, null);
}

/** `GET /models/{id}`: as `model show`, with the ids of its channels. */
export async function showOneModel(call: AdminCall, { catalog, now }: AdminReadingDeps): Promise<HttpReply> {
  noQuery(call);
  const { id = "" } = call.parameters;
  const model = catalog.find(normalName(id));
  if (!model) throw new GatewayError("not_found", { message: `There is no model ${id.slice(0, 128)}.` });
  const channels = model.channels.map(({ id: channel, provider, model: name, priority, weight }) => ({
    ...{ id: channel, provider, name, priority, weight },
  }));
  return jsonReply({ ...showModelOf(model, catalog, now()), channels });
}

function readFlag(given: string | undefined, name: string): boolean {
  if (given === undefined || given === "false") return false;
  if (given !== "true") throw invalidField(name, "true or false");
  return true;
}

function checkAfter(after: string | undefined, kind: "order" | "invoice" | "audit"): void {
  if (after !== undefined && !isId(after, kind)) throw wrongAfter();
}

function wrongAfter(): GatewayError {
  return invalidField("after", "the `last_id` of a page of this list");
}
