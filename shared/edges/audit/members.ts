/** The audit of people: a membership says the same on both sides, and a contact leads to a user. */

import { timeOf } from "../../base/platform/id.ts";
import { roles } from "../../people/identity/user.ts";
import { differences, finding, found, type KeptItem, type Sorted } from "./kept.ts";
import type { Finding } from "./rollups.ts";

/** The kinds of items that people are kept in, as `ties/accounts.ts` names them. */
export const memberKinds = ["user", "claim of a contact", "membership", "audit log"] as const;

/** Each membership has both of its records, which say the same, and each record lies where its ids say. */
export function membersAgree({ items }: { items: Sorted }): Finding {
  const memberships = items.of("membership");
  const byKey = new Map(memberships.map((item) => [`${item.pk} ${item.sk}`, item]));
  const users = new Set(items.of("user").map(({ fields }) => String(fields?.id)));
  // Whom a provider signs in has no contact.
  const reached = new Set([
    ...items.of("claim of a contact").map(({ fields }) => String(fields?.user)),
    ...items.of("user").flatMap(({ fields = {} }) => (isWithoutContact(fields) ? [String(fields.id)] : [])),
  ]);
  const gaps = [
    ...memberships.flatMap((item) =>
      found(`${item.pk} ${item.sk}`, () => wrongMembership(item, byKey, users)),
    ),
    ...items
      .of("user")
      .flatMap(({ pk, fields = {} }) =>
        found(pk, () => [
          ...differences(fields, { id: pk.slice("U#".length), created_at: timeOf(pk.slice("U#".length)) }),
          ...(reached.has(String(fields.id)) ? [] : ["has no claim of a contact"]),
          ...(fields.status === "active" || fields.status === "frozen"
            ? []
            : [`has the status ${String(fields.status)}`]),
        ]),
      ),
    ...items
      .of("claim of a contact")
      .flatMap(({ pk, fields = {} }) =>
        isGivenUp(fields) || users.has(String(fields.user))
          ? []
          : [`${pk} has the user ${String(fields.user)}, who is not there`],
      ),
    ...items
      .of("audit log")
      .flatMap(({ pk, sk, fields = {}, isAsHashed }) =>
        found(`${pk} ${sk}`, () => [
          ...differences(fields, { organization: pk.slice("G#".length), id: sk, at: timeOf(sk) }),
          ...(isAsHashed ? [] : ["is not what was written: its hash differs"]),
        ]),
      ),
  ];
  return finding(gaps, `${users.size} users: each membership the same on both sides`);
}

/** Whether a user has no contact: their organization's provider signs them in. */
function isWithoutContact({ phone_box, email_box }: Readonly<Record<string, unknown>>): boolean {
  return phone_box === undefined && email_box === undefined;
}

/** Whether a claim was given up: it is nobody's, and expires. */
function isGivenUp({ user, expires_at }: Readonly<Record<string, unknown>>): boolean {
  return user === undefined && expires_at !== undefined;
}

function wrongMembership(
  { pk, sk, fields = {} }: KeptItem,
  byKey: ReadonlyMap<string, KeptItem>,
  users: ReadonlySet<string>,
): string[] {
  const [organization, user] = [String(fields.organization), String(fields.user)];
  const own = pk.startsWith("O#") ? [`O#${organization}`, `M#${user}`] : [`U#${user}`, `M#${organization}`];
  const other = byKey.get(
    pk.startsWith("O#") ? `U#${user} M#${organization}` : `O#${organization} M#${user}`,
  );
  // A membership that is over expires, and one of its records may go first.
  const isOver = fields.role === undefined;
  if (isOver && !other) return [];
  const names = new Set([...Object.keys(fields), ...Object.keys(other?.fields ?? {})]);
  const must = Object.fromEntries([...names].map((name) => [name, other?.fields?.[name]]));
  return [
    ...differences({ pk, sk }, { pk: own[0], sk: own[1] }),
    ...(other
      ? differences(fields, must).map((each) => `${each} as in its other record`)
      : ["has no other record"]),
    ...(isOver || roles.some((role) => role === fields.role) ? [] : [`has the role ${String(fields.role)}`]),
    ...(isOver || users.has(user) ? [] : [`is of ${user}, who is not there`]),
  ];
}
