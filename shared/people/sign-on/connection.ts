/** How an organization's people sign in by its own identity provider (README.md "The connection"). */
import type { AuditEntry } from "../identity/audit.ts";
import { openBox, sealBox } from "../identity/boxes.ts";
import type { IdentityKeys, ReadKeys } from "../identity/identity-keys.ts";
import { type Role, roles } from "../identity/user.ts";

/** The roles that a provider may give. Nobody becomes an owner by a group: an owner says so here. */
export const givenRoles = roles.filter((role) => role !== "owner");
export type GivenRole = Exclude<Role, "owner">;

/** Members of a group get a role, and become members of projects. */
export interface GroupRule {
  group: string;
  role: GivenRole;
  /** Handles of projects of the organization. Absent: none. */
  projects?: string[];
}

/**
 * Whom a connection lets in. `domain`: whose address the provider calls verified, in a domain that the organization has
 * proved. `everybody`: whomever the provider signs in, which is right only where it knows nobody but these people.
 */
export const admissions = ["domain", "everybody"] as const;
type Admits = (typeof admissions)[number];

export interface SignOnConnection {
  organization: string;
  /** The issuer's identifier, as its metadata have it. */
  issuer: string;
  client_id: string;
  /** The client's secret under AES-256-GCM with the key of this version of the accounts' secret, base64url. */
  secret_box: string;
  secret_version: number;
  /** What is asked for, such as `openid email profile`. */
  scope: string;
  admits: Admits;
  /** The claim that has a person's groups. */
  groups_claim: string;
  /** The first rule that fits decides. */
  rules: GroupRule[];
  /** The role of who is in no group of a rule. Null: nobody else comes in. */
  default_role: GivenRole | null;
  /** Unix milliseconds. An attempt that began before a change is over. */
  changed_at: number;
}

/** Somebody as their provider knows them. The address that is kept here is shown, and finds nobody. */
export interface LinkedPerson {
  user: string;
  organization: string;
  issuer: string;
  subject: string;
  email: string | null;
  /** Unix milliseconds. */
  since: number;
}

/** The store of connections. Every read is strongly consistent. */
export interface SignOnConnections {
  read(organization: string): Promise<SignOnConnection | undefined>;
  /**
   * Stores a connection with its line of the audit log. `isAnother`: of another provider, so the sessions of the one
   * before are over. False where the stored one is not `before`, or another one would be the only way in.
   */
  save(
    connection: SignOnConnection,
    before: SignOnConnection | undefined,
    entry: AuditEntry,
    isAnother: boolean,
  ): Promise<boolean>;
  /** Removes the connection, and its sessions are over. False where it is not as it was read, or the only way in. */
  remove(connection: SignOnConnection, entry: AuditEntry): Promise<boolean>;
}

/** What an operator does with connections when a version of the accounts' secret goes. */
export interface ConnectionMoves {
  /** Every connection. It reads the whole table. */
  all(): AsyncIterable<SignOnConnection>;
  /** Keeps the client's secret of a connection in another box. A connection that has changed meanwhile stays. */
  move(
    connection: SignOnConnection,
    box: Pick<SignOnConnection, "secret_box" | "secret_version">,
  ): Promise<void>;
}

/** A client's secret as its connection keeps it. */
export function sealSecret(
  secret: string,
  organization: string,
  keys: IdentityKeys,
): Pick<SignOnConnection, "secret_box" | "secret_version"> {
  const { box, version } = sealBox(Buffer.from(secret), boxOf(organization), keys);
  return { secret_box: box, secret_version: version };
}

/** The client's secret of a connection; undefined where its version of the accounts' secret is gone. */
export async function openSecret(
  { organization, secret_box, secret_version }: SignOnConnection,
  readKeys: ReadKeys,
): Promise<string | undefined> {
  const kept = { box: secret_box, version: secret_version };
  return (await openBox(kept, boxOf(organization), readKeys))?.toString();
}

/** What groups give: a role, null where nobody lets them in, and handles of projects in order. */
export interface GroupGrant<Given extends Role = Role> {
  role: Given | null;
  projects: readonly string[];
}

/** What a person in these groups gets: the role of the first rule that fits, and the projects of all that do. */
export function grantFor(
  { rules, default_role }: Pick<SignOnConnection, "rules" | "default_role">,
  groups: readonly string[],
): GroupGrant<GivenRole> {
  const theirs = new Set(groups);
  const fitting = rules.filter(({ group }) => theirs.has(group));
  const role = fitting[0]?.role ?? default_role;
  const projects = role === null ? [] : fitting.flatMap((rule) => rule.projects ?? []);
  return { role, projects: [...new Set(projects)].sort() };
}

/** What the client's secret is bound to, so that it opens in no other organization's connection. */
function boxOf(organization: string) {
  return { key: "signOn", context: `client secret ${organization}` } as const;
}
