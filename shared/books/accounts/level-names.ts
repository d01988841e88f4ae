/** The levels of an organization's calls: what each is called, and whose calls it has. */
import type { KeyRecord } from "./account.ts";
import { personOf } from "./key-state.ts";

/** How a refusal names what bounds the calls of a level. */
export const whoseOf = {
  organization: "The organization's",
  project: "The project's",
  member: "The member's",
  key: "The key's",
  customer: "The end customer's",
} as const;

/** Who can change what bounds them, as it stands before "can". */
export const changersOf = {
  organization: "An owner or admin of the organization",
  project: "An owner or admin of the organization",
  member: "An owner or admin of the organization",
  key: "Who manages keys",
  customer: "An owner or admin of the organization",
} as const satisfies Record<keyof typeof whoseOf, string>;

/** Which of a level's accounts the calls of a key count on; undefined where on none. An organization has one account. */
export const idsOfKey = {
  organization: () => "",
  project: ({ project }) => project || undefined,
  member: (key) => personOf(key),
} as const satisfies Record<
  string,
  (key: Pick<KeyRecord, "project" | "created_by" | "root">) => string | undefined
>;
