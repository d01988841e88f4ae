/** The keys of the items in the table `accounts`. Nothing else spells one. */

import { firstIdAt } from "../../../base/platform/id.ts";
import { nameableRange } from "../../../books/reports/range-plan.ts";
import type { ListPart } from "../../../people/payments/orders.ts";
import type { Item } from "./attributes.ts";
import { itemKey, single } from "./item-keys.ts";

/** How the partition keys of each kind of item begin. */
export const accountPrefixes = {
  user: "U#",
  phone: "P#",
  organization: "O#",
  code: "C#",
  velocity: "Q#",
  invitation: "N#",
  audit: "G#",
  order: "R#",
  series: "I#",
} as const;

/** How the sort keys begin in the partitions of users, organizations and orders. */
export const accountSorts = {
  session: "S#",
  membership: "M#",
  invitation: "V#",
  order: "R#",
  refund: "F#",
  invoice: "I#",
} as const;

/** The values of the index key `due_kind`. */
export const dueKinds = {
  order: "order",
  recheck: "order_recheck",
  invoice: "invoice",
  planEnd: "plan_end",
} as const;

/** A user, whose partition also holds the user's sessions and memberships. */
export function userKey(user: string): Item {
  return itemKey(`U#${user}`, single);
}

/** The claim of a phone, by its hash: one account a phone. */
export function phoneKey(hash: string): Item {
  return itemKey(`P#${hash}`, single);
}

/** What an organization has in this table; members, invitations, orders and invoices lie under it. */
export function organizationAccountKey(organization: string): Item {
  return itemKey(`O#${organization}`, single);
}

/** A membership as its organization lists it. */
export function memberKey(organization: string, user: string): Item {
  return itemKey(`O#${organization}`, `M#${user}`);
}

/** The same membership as its user lists it. */
export function membershipKey(user: string, organization: string): Item {
  return itemKey(`U#${user}`, `M#${organization}`);
}

/** The verification code of a phone, by the phone's hash. */
export function codeKey(hash: string): Item {
  return itemKey(`C#${hash}`, single);
}

/** How often something has happened in a window, such as messages to a prefix within an hour. */
export function velocityKey(what: string, window: string): Item {
  return itemKey(`Q#${what}#${window}`, single);
}

export function sessionKey(user: string, session: string): Item {
  return itemKey(`U#${user}`, `S#${session}`);
}

/** An invitation as its organization lists it. */
export function invitationKey(organization: string, invitation: string): Item {
  return itemKey(`O#${organization}`, `V#${invitation}`);
}

/** Which invitations of an organization are open, and when each of them ends. */
export function openInvitationsKey(organization: string): Item {
  return itemKey(`O#${organization}`, "V");
}

/** The invitation of a token, by the token's hash. */
export function invitationTokenKey(hash: string): Item {
  return itemKey(`N#${hash}`, single);
}

/** What somebody did in an organization, in order of time. */
export function auditKey(organization: string, id: string): Item {
  return itemKey(`G#${organization}`, id);
}

/** An organization's audit log from its first entry to the one with the id `end`, or to its last one. */
export function auditRange(organization: string, end?: string): { pk: string; first: string; last: string } {
  return { pk: `G#${organization}`, first: "aud_", last: end ?? "aud_~" };
}

/** An order; its refunds and the claim of its invoice lie under it. */
export function orderKey(order: string): Item {
  return itemKey(`R#${order}`, single);
}

/** An order's place among those of its organization. */
export function orderPlaceKey(organization: string, order: string): Item {
  return itemKey(`O#${organization}`, `R#${order}`);
}

/** How many orders of an organization wait for their customer. */
export function openOrdersKey(organization: string): Item {
  return itemKey(`O#${organization}`, "R");
}

/** How many orders an organization has made in an hour of the clock, by the hour's number since 1970. */
export function ordersOfHourKey(organization: string, hour: number): Item {
  return velocityKey(`orders:${organization}`, String(hour));
}

/** When the owners of an organization are told next that its plan ends. */
export function planEndKey(organization: string): Item {
  return itemKey(`O#${organization}`, "E");
}

/** Sort keys that enclose those of a page of an organization's orders. */
export function orderPlaceRange(page: Omit<ListPart, "limit">): { first: string; last: string } {
  return rangeOf("order", "R#", page);
}

/** The order that a client's `Idempotency-Key` made, by the hash of user and key. */
export function orderClaimKey(organization: string, hash: string): Item {
  return itemKey(`O#${organization}`, `K#${hash}`);
}

/** The id of the order that a key of `orderKey` or `orderPlaceKey` was made of. */
export function readOrderKey(key: string): string {
  return key.slice("R#".length);
}

export function refundKey(order: string, refund: string): Item {
  return itemKey(`R#${order}`, `F#${refund}`);
}

/** The claim of an order by an invoice: an order is invoiced once. */
export function invoicedKey(order: string): Item {
  return itemKey(`R#${order}`, "I");
}

export function invoiceKey(organization: string, invoice: string): Item {
  return itemKey(`O#${organization}`, `I#${invoice}`);
}

/** Sort keys that enclose those of a page of an organization's invoices. */
export function invoiceRange(page: Omit<ListPart, "limit">): { first: string; last: string } {
  return rangeOf("invoice", "I#", page);
}

/**
 * Both ends belong to a range of sort keys, so that of `after` has the item of this id too. Where nothing can be in the
 * range, `first` is behind `last`.
 */
function rangeOf(
  kind: "order" | "invoice",
  prefix: string,
  { after, from = 0, to = Number.POSITIVE_INFINITY }: Omit<ListPart, "limit">,
): { first: string; last: string } {
  const [begin, end] = nameableRange(from, to);
  const ends = [firstIdAt(kind, Math.max(end, 0)), ...(after === undefined ? [] : [after])].sort();
  return { first: `${prefix}${firstIdAt(kind, begin)}`, last: `${prefix}${ends[0]}` };
}

/** The organization of an invoice, by the invoice's id. */
export function invoicePlaceKey(invoice: string): Item {
  return itemKey(`I#${invoice}`, single);
}

/** The last number of a series of invoices. */
export function seriesKey(series: string): Item {
  return itemKey(`I#${series}`, single);
}
