/** What somebody has typed to credit a wallet, as the operators' API takes it. */
import type { AdminBody } from "../../shared/edges/openapi/route-types.ts";
import { isPoints } from "../points-text.ts";

interface CreditForm {
  points: string;
  reference: string;
  /** Empty: the server takes the usual kind. */
  kind: NonNullable<AdminBody<"credit_organization">["kind"]> | "";
}

/** Whether a text is points that are not 0, with a minus or without. */
export function isSignedPoints(text: string): boolean {
  return isPoints(text.trim().replace(/^-/, ""));
}

/** Whether a credit may be booked under a text. The server refuses those of orders, too. */
export function isReference(text: string): boolean {
  return /^[\w.:-]{1,128}$/.test(text.trim());
}

/** What is sent. Undefined: a field is wrong. */
export function creditBody(
  { points, reference, kind }: CreditForm,
  reason: string,
): AdminBody<"credit_organization"> | undefined {
  if (!isSignedPoints(points) || !isReference(reference)) return undefined;
  return { points: points.trim(), reference: reference.trim(), reason, ...(kind && { kind }) };
}
