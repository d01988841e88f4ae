/** Who does what operators do: a command, or a token of the operators' API. The lines that are left tell it. */
import { type Actor, type AuditEntry, type AuditedChange, auditEntry } from "../identity/audit.ts";
import { byOperator, type OrderActor } from "../orders/deps.ts";
import type { AdminToken } from "./token.ts";

export interface By {
  /** Absent: it is a command. */
  token?: Pick<AdminToken, "id" | "name">;
  /** Why, where that is told. */
  reason?: string;
}

/** Somebody with the credentials of the account, by a command. */
export const byCommand: By = {};

/** The actor of a line in an organization. A token is the credential, and its name stands for the operator's. */
function actorOf({ token }: By, organization: string): Actor {
  const user = { id: byOperator.id, name: token?.name ?? byOperator.name };
  return { user, organization: { id: organization }, ...(token && { session: { id: token.id } }) };
}

/** The actor of a change of an order. */
export function orderActorOf({ token, reason }: By): OrderActor {
  return {
    ...byOperator,
    ...(token && { name: token.name, session: { id: token.id } }),
    ...(reason !== undefined && { reason }),
  };
}

/** The line about a change that an operator makes at `at`, Unix milliseconds. Why it was made stands in `after`. */
export function lineBy(by: By, organization: string, change: AuditedChange, at: number): AuditEntry {
  return auditEntry(actorOf(by, organization), withReason(change, by), byOperator.ip, at);
}

/** A change whose line also tells why. The customer sees that line, and not the operator's address. */
function withReason<Change extends Pick<AuditedChange, "after">>(change: Change, { reason }: By): Change {
  return reason === undefined ? change : { ...change, after: { ...change.after, reason } };
}
