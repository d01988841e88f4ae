/** People: users, the organizations they are members of, and their roles there. The store implements the ports. */

import type { Organization } from "../../books/accounts/account.ts";

/** What a member may do is a table of roles (roles.ts). */
export const roles = ["owner", "admin", "finance", "member"] as const;
export type Role = (typeof roles)[number];

/** The languages of the console and of its messages, as BCP 47 has them. */
export const locales = ["en", "zh"] as const;
export type Locale = (typeof locales)[number];

export interface User {
  id: string;
  name: string;
  /** Of the interface. */
  locale: Locale;
  status: "active" | "frozen";
  /**
   * The contacts (contact.ts): at least one, or none of somebody whom a provider signs in (people/sign-on). Of the phone,
   * the last four digits, to show.
   */
  phone_last_four?: string;
  /** The phone under AES-256-GCM with the key of this version of the accounts' secret, base64url. */
  phone_box?: string;
  phone_version?: number;
  /** As those of the phone. What is shown of an address is such as `a…@example.com`. */
  email_shown?: string;
  email_box?: string;
  email_version?: number;
  /** The organization that was made with the user. It is fixed before that exists, so that a retry finishes it. */
  organization: string;
  /** Unix milliseconds. */
  created_at: number;
}

export interface Membership {
  user: string;
  organization: string;
  role: Role;
  /** Unix milliseconds. */
  since: number;
  /**
   * The handles of the projects of which their groups make them a member (people/sign-on/README.md "Groups"), in order.
   * Absent: of none. Whom somebody has chosen for a project is in the project's record.
   */
  projects?: string[];
  /** Which mails they want, by the groups of people/news/mail-kinds.ts. The record under the organization alone has it. */
  mails?: Partial<Record<string, "all" | "own" | "none">>;
}

/** The projects that groups give a member: none once the organization's connection is removed. */
export function groupProjects(
  { projects = [] }: Pick<Membership, "projects">,
  { sign_on_removed }: Pick<Organization, "sign_on_removed">,
): readonly string[] {
  return sign_on_removed ? [] : projects;
}

/** One browser that is signed in. Nothing in it is secret (session.ts). */
export interface Session {
  id: string;
  user: string;
  /** The generation of the refresh token that is good. It rises with each refresh. */
  generation: number;
  /** When the generation rose, Unix milliseconds. The one before is good for some seconds more. */
  refreshed_at: number;
  created_at: number;
  /** What the browser says it is, cut and cleaned. */
  label: string;
  ip: string;
  ended_at: number | null;
  /**
   * The organization whose own provider has signed its user in: the session opens no other one (people/sign-on). Absent:
   * a code did.
   */
  sign_on?: string;
  /** When the provider's connection had been changed last, as the session came by it, Unix milliseconds. */
  connection_at?: number;
  /** The passkey that began it. Removing that one ends it. */
  passkey?: string;
}
