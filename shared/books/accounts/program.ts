/** A program that has its key by a sign-in, and gets another secret by its refresh token (people/identity/programs.md). */
export interface SignedInProgram {
  /** The request that was approved. The secrets are made of it. */
  request: string;
  /** What it calls itself, its `client_id`, and what it calls its machine; "" where it does not. */
  client: string;
  machine: string;
  /** The address that asked for the sign-in. */
  ip: string;
  /** How often its secret was made, this one included, when that was last, and under which version of the accounts' secret. */
  generation: number;
  refreshed_at: number;
  version: number;
  /** As of the session that approved it (people/identity/user.ts). Absent: a code or a passkey had begun that one. */
  sign_on?: string;
  connection_at?: number;
}
