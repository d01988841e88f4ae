/** A route of the sandbox's Stripe, and what it refuses by. */
import type { PlatformDeps } from "./answer.ts";

/** Fields as Stripe writes them: `line_items[0][quantity]`. */
type StripeFields = Readonly<Record<string, string>>;

/** What Stripe refuses. */
export class StripeRefusal extends Error {
  readonly status: number;
  readonly error: object;

  constructor(
    status: number,
    message: string,
    more: { type?: string; code?: string; decline_code?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.error = { type: "invalid_request_error", ...more, message };
  }
}

interface StripeRequest {
  fields: StripeFields;
  id: string;
}

export type StripeRoute = (asked: StripeRequest, deps: PlatformDeps) => object;
