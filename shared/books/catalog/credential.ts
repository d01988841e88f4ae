/** How a provider learns who calls: by a key that is sent as it is, or as a cloud's own rules have it. */

/** Kinds whose key stands in a header as it is: in the one of this name, or for `bearer` in `authorization`. */
export const keyAuths = ["bearer", "x-api-key", "x-goog-api-key", "api-key"] as const;
export type KeyAuth = (typeof keyAuths)[number];

/** Requests are signed by the role of the gateway's own process, or by one that it assumes. */
export interface AwsRole {
  /** The region of the service. Without it the one in its address, else the gateway's own. */
  region?: string;
  /** The role to assume. */
  role_arn?: string;
  /** What the role's owner asks for when it is assumed. */
  external_id?: string;
  /** What the sessions of the role are tagged with. Each organization has a session of its own then. */
  session_tags?: "organization";
}

/** A role, and for whom it is assumed, where its sessions tell. */
export interface AwsRoleFor extends AwsRole {
  organization?: string;
}

/** What each kind of a cloud is told, by its name. All that Google and Azure need stands in their key. */
export interface CloudCredentials {
  aws_role: AwsRoleFor;
  google: Record<never, never>;
  azure: Record<never, never>;
}
export type CloudAuth = keyof CloudCredentials;

export const cloudAuths = ["aws_role", "google", "azure"] as const satisfies readonly CloudAuth[];

/** What a provider's `credential` may say, by its `auth`. */
export type CloudCredential = CloudCredentials[CloudAuth];

/** Whether a provider of this kind needs a `secret`: a role is the process's own. */
export function needsKey(auth: KeyAuth | CloudAuth): boolean {
  return auth !== "aws_role";
}

/** Whether calls of this kind carry a key as it is. */
export function isKeyAuth(auth: KeyAuth | CloudAuth): auth is KeyAuth {
  return (keyAuths as readonly string[]).includes(auth);
}
