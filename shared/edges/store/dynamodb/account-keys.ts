/** The keys of the items in the table `accounts`. Nothing else spells one. */

import { firstIdAt } from "../../../base/platform/id.ts";
import { nameableRange } from "../../../books/reports/range-plan.ts";
import type { ListPart } from "../../../people/payments/orders.ts";
import { itemKey, type KeyRange, single } from "./item-keys.ts";

/** How the partition keys of each kind of item begin. */
export const accountPrefixes = {
  user: "U#",
  contact: "P#",
  organization: "O#",
  code: "C#",
  device: "D#",
  velocity: "Q#",
  invitation: "N#",
  audit: "G#",
  order: "R#",
  series: "I#",
  deliveries: "W#",
  events: "E#",
  domain: "H#",
  linked: "X#",
  channels: "L#",
  bills: "V#",
  adminTokens: "A#",
  proposals: "B#",
  closes: "M#",
} as const;

/** How the sort keys begin in the partitions of users, organizations and orders. */
export const accountSorts = {
  session: "S#",
  membership: "M#",
  invitation: "V#",
  order: "R#",
  refund: "F#",
  invoice: "I#",
  delivery: "D#",
  domain: "D#",
  passkey: "Y#",
  provisioned: "U#",
} as const;

/** The values of the index key `due_kind`. */
export const dueKinds = {
  order: "order",
  recheck: "order_recheck",
  invoice: "invoice",
  planEnd: "plan_end",
  news: "news",
  /** Lines that people get by mail, and all others. */
  line: "line",
  quietLine: "quiet_line",
} as const;

/** The value for what waits for one organization: the deliveries of another one are never in its way. */
export const deliveryDueKind = (organization: string) => `delivery#${organization}` as const;
/** Every value of the index key `due_kind`. */
export type IndexKind = (typeof dueKinds)[keyof typeof dueKinds] | ReturnType<typeof deliveryDueKind>;

/** A user, whose partition also holds the user's sessions and memberships. */
export const userKey = (user: string) => itemKey(`U#${user}`, single);
/** The claim of a contact, by its hash: one account a contact. The prefix is from when all of them were phones. */
export const contactKey = (hash: string) => itemKey(`P#${hash}`, single);
/** What an organization has in this table; members, invitations, orders and invoices lie under it. */
export const organizationAccountKey = (organization: string) => itemKey(`O#${organization}`, single);
/** A membership as its organization lists it. */
export const memberKey = (organization: string, user: string) => itemKey(`O#${organization}`, `M#${user}`);
/** The same membership as its user lists it. */
export const membershipKey = (user: string, organization: string) =>
  itemKey(`U#${user}`, `M#${organization}`);
/** The verification code of a contact, by the contact's hash. */
export const codeKey = (hash: string) => itemKey(`C#${hash}`, single);
/** The request of a program to be signed in, by its user code. */
export const deviceKey = (userCode: string) => itemKey(`D#${userCode}`, single);
/** How often something has happened in a window, such as messages to a prefix within an hour. */
export const velocityKey = (what: string, window: string) => itemKey(`Q#${what}#${window}`, single);
export const sessionKey = (user: string, session: string) => itemKey(`U#${user}`, `S#${session}`);
/** A passkey of a user, by the hash of its credential's id. */
export const passkeyKey = (user: string, hash: string) => itemKey(`U#${user}`, `Y#${hash}`);
/** An invitation as its organization lists it. */
export const invitationKey = (organization: string, invitation: string) =>
  itemKey(`O#${organization}`, `V#${invitation}`);
/** Which invitations of an organization are open, and when each of them ends. */
export const openInvitationsKey = (organization: string) => itemKey(`O#${organization}`, "V");
/** The invitation of a token, by the token's hash. */
export const invitationTokenKey = (hash: string) => itemKey(`N#${hash}`, single);
/** How the people of an organization sign in by its provider. */
export const connectionKey = (organization: string) => itemKey(`O#${organization}`, "C");
/** A domain that an organization claims. */
export const domainClaimKey = (organization: string, domain: string) =>
  itemKey(`O#${organization}`, `D#${domain}`);
/** The organization that has proved a domain: one a domain. */
export const domainKey = (domain: string) => itemKey(`H#${domain}`, single);
/** The user of a person at a provider, by a hash of organization, issuer and subject. */
export const linkedPersonKey = (hash: string) => itemKey(`X#${hash}`, single);
/** Whether an organization's provider may provision people, and how many it has. */
export const directoryKey = (organization: string) => itemKey(`O#${organization}`, "P");
/** The groups of an organization's directory. */
export const groupsKey = (organization: string) => itemKey(`O#${organization}`, "G");
/** Somebody whom an organization's provider has provisioned. */
export const provisionedKey = (organization: string, user: string) =>
  itemKey(`O#${organization}`, `${accountSorts.provisioned}${user}`);
/** The user who has a name in an organization's directory, by the name's hash. */
export const directoryNameKey = (organization: string, hash: string) =>
  itemKey(`O#${organization}`, `L#${hash}`);
/** What somebody did in an organization, in order of time. */
export const auditKey = (organization: string, id: string) => itemKey(`G#${organization}`, id);

/** An organization's audit log from its first entry to the one with the id `end`, or to its last one. */
export function auditRange(organization: string, end = "aud_~"): KeyRange & { pk: string } {
  return { pk: `G#${organization}`, first: "aud_", last: end };
}

/** An order; its refunds and the claim of its invoice lie under it. */
export const orderKey = (order: string) => itemKey(`R#${order}`, single);
/** An order's place among those of its organization. */
export const orderPlaceKey = (organization: string, order: string) =>
  itemKey(`O#${organization}`, `R#${order}`);
/** How many orders of an organization wait for their customer. */
export const openOrdersKey = (organization: string) => itemKey(`O#${organization}`, "R");
/** How many orders an organization has made in an hour of the clock, by the hour's number since 1970. */
export const ordersOfHourKey = (organization: string, hour: number) =>
  velocityKey(`orders:${organization}`, String(hour));
/** How many points a person has moved alone, by credits of the operators' API, in a UTC day. */
export const aloneKey = (mailbox: string, day: string) => velocityKey(`alone:${mailbox}`, day);
/** When the owners of an organization are told next that its plan ends. */
export const planEndKey = (organization: string) => itemKey(`O#${organization}`, "E");
/** What an organization buys by itself. */
export const topUpKey = (organization: string) => itemKey(`O#${organization}`, "T");
/** The sum of a month's automatic orders in a currency. */
export const topUpMonthKey = (organization: string, month: string, currency: string) =>
  itemKey(`O#${organization}`, `T#${month}#${currency}`);
/** The webhooks of an organization. */
export const webhooksKey = (organization: string) => itemKey(`O#${organization}`, "W");
/** Which prices that will change an organization was told of. */
export const toldPricesKey = (organization: string) => itemKey(`O#${organization}`, "A");
/** How far the log of all organizations has been told to the event bus. */
export const eventsPlaceKey = () => itemKey("E#news", single);
/** A message, by its id, for one target. */
export const deliveryKey = (organization: string, target: string, message: string) =>
  itemKey(`W#${organization}`, `D#${target}#${message}`);
/** Sort keys that enclose those of a target's messages from the id `first` to the id `last`, or to the last one. */
export const deliveryRange = (target: string, first = "", last = "~"): KeyRange => ({
  first: `D#${target}#${first}`,
  last: `D#${target}#${last}`,
});
/** Sort keys that enclose those of a page of an organization's orders. */
export const orderPlaceRange = (page: Page) => rangeOf("order", "R#", page);
/** The order that a client's `Idempotency-Key` made, by the hash of user and key. */
export const orderClaimKey = (organization: string, hash: string) =>
  itemKey(`O#${organization}`, `K#${hash}`);
/** The id of the order that a key of `orderKey` or `orderPlaceKey` was made of. */
export const readOrderKey = (key: string) => key.slice("R#".length);
export const refundKey = (order: string, refund: string) => itemKey(`R#${order}`, `F#${refund}`);
/** The claim of an order by an invoice: an order is invoiced once. */
export const invoicedKey = (order: string) => itemKey(`R#${order}`, "I");
export const invoiceKey = (organization: string, invoice: string) =>
  itemKey(`O#${organization}`, `I#${invoice}`);
/** Sort keys that enclose those of a page of an organization's invoices. */
export const invoiceRange = (page: Page) => rangeOf("invoice", "I#", page);

type Page = Omit<ListPart, "limit">;

/** Both ends belong to the range, so it has the item of `after`. An empty range has `first` behind `last`. */
function rangeOf(
  kind: "order" | "invoice",
  prefix: string,
  { after, from = 0, to = Number.POSITIVE_INFINITY }: Page,
): KeyRange {
  const [begin, end] = nameableRange(from, to);
  const ends = [firstIdAt(kind, Math.max(end, 0)), ...(after === undefined ? [] : [after])].sort();
  return { first: `${prefix}${firstIdAt(kind, begin)}`, last: `${prefix}${ends[0]}` };
}

/** The organization of an invoice, by the invoice's id. */
export const invoicePlaceKey = (invoice: string) => itemKey(`I#${invoice}`, single);
/** What operators did to the channels of models, a record for each channel. It is the gateway's, and no organization's. */
export const channelsPartition = "L#channels";
export const channelRecordKey = (channel: string) => itemKey(channelsPartition, channel);
/** The heads of vendors' bills, by provider. They are the gateway's, and no organization's. */
export const billsPartition = "V#bills";
export const billHeadKey = (provider: string, bill: string) => itemKey(billsPartition, `${provider}#${bill}`);
/** The marks of withdrawn bills, by provider. A bill's id begins with `bill_`, so none is called so. */
export const withdrawnBillsPartition = "V#withdrawn";
export const withdrawnBillKey = (provider: string, bill: string) =>
  itemKey(withdrawnBillsPartition, `${provider}#${bill}`);
/** The lines of a bill, in parts. */
export const billPartition = (bill: string) => `V#${bill}`;
export const billPartKey = (bill: string, part: number) =>
  itemKey(billPartition(bill), String(part).padStart(4, "0"));
/** Sort keys that enclose those of a provider's bills. */
export const billHeadRange = (provider: string): KeyRange => ({
  first: `${provider}#`,
  last: `${provider}#~`,
});
/** Closed months. They are the gateway's, and no organization's. */
export const closesPartition = "M#closes";
export const closedMonthKey = (month: string) => itemKey(closesPartition, month);
/** Which month was closed last: each close changes it, so of two at a time one is kept. */
export const lastClosedKey = () => itemKey("M#last", single);
/** The balances of a closed month, in parts. The hash of what they say tells those of a close that was broken off apart. */
export const monthBalancesPartition = (month: string, sha256: string) => `M#${month}#${sha256.slice(0, 16)}`;
export const monthBalancesPartKey = ({ month, sha256 }: { month: string; sha256: string }, part: number) =>
  itemKey(monthBalancesPartition(month, sha256), String(part).padStart(4, "0"));
/** A token of the operators' API, a record for each. */
export const adminTokensPartition = "A#tokens";
export const adminTokenKey = (token: string) => itemKey(adminTokensPartition, token);
/** A credit that one operator has proposed, and that another one has to confirm. */
export const proposalsPartition = "B#credits";
export const proposalKey = (proposal: string) => itemKey(proposalsPartition, proposal);
/** The last number of a series of invoices. */
export const seriesKey = (series: string) => itemKey(`I#${series}`, single);
