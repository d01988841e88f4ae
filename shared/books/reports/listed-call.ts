/** A call as lists and receipts show it: one of the ledger, or one that was refused and is not there. */
import { adviceOn } from "../../base/advice.ts";
import { errorCodes, isErrorKey, statusOf } from "../../base/errors.ts";
import type { UsageEvent } from "../ledger/usage-event.ts";

/** The members that any call has. Of a refused call those are null that nobody knows. */
export interface ListedEvent
  extends Pick<
    UsageEvent,
    | "id"
    | "admitted_at"
    | "project"
    | "key"
    | "user"
    | "tags"
    | "requested_model"
    | "error"
    | "provider"
    | "attempts"
    | "route"
    | "flags"
    | "usage"
    | "evidence"
    | "calls"
    | "list_points"
    | "cost_points"
  > {
  kind: UsageEvent["kind"] | null;
  mode: UsageEvent["mode"] | null;
  model: string | null;
  ended_at: number | null;
  outcome: UsageEvent["outcome"] | "refused";
  price: Pick<UsageEvent["price"], "version" | "discount_rate"> | null;
  /** Of a refused call: the path that was asked, and what the client was told, where it is not the table's sentence. */
  path?: string;
  message?: string | undefined;
}

export const outcomes: readonly ListedEvent["outcome"][] = ["completed", "truncated", "failed", "refused"];

/** A call as it counts. `corrected`: an estimate stood there before. */
export interface ListedCall {
  event: ListedEvent;
  corrected: boolean;
}

/** Why a call failed, in the words of the table of errors. */
interface ToldError {
  code: number;
  /** The HTTP status that its client got; null where nobody answered it, because its process died. */
  status: number | null;
  type: string;
  message: string;
}

/** Why a call failed; null where it did not, or where nobody knows. */
export function errorOf(event: ListedEvent): ToldError | null {
  const { error, message } = event;
  if (!isErrorKey(error)) return null;
  const { code, type, message: usual } = errorCodes[error];
  return { code, status: statusGot(event, statusOf(error)), type, message: message ?? usual };
}

/** The same, with what to do about it. */
export function advisedErrorOf(event: ListedEvent) {
  const told = errorOf(event);
  return told && { ...told, advice: (event.error && adviceOn(event.error)) ?? null };
}

/** A stream has its status before it breaks off, and a task before it is made. */
function statusGot({ kind, outcome, attempts, route, flags }: ListedEvent, usual: number): number | null {
  if (flags.includes("swept")) return null;
  if (outcome === "refused") return usual;
  const last = route?.attempts.at(-1)?.outcome ?? "answered";
  return kind === "video" || (attempts > 0 && last === "answered") ? 200 : usual;
}
