/** What the provider says where a play is about a failure. The form is the protocol's own. */
import type { VendorRefusal } from "#infra/local/demo/strictness.ts";
import { tooLong } from "#test/support/too-long.ts";

export type Failure = VendorRefusal & { headers?: Record<string, string> };

const down: Failure = {
  status: 503,
  body: { type: "error", error: { type: "overloaded_error", message: "Overloaded.", status: "UNAVAILABLE" } },
  rule: "down",
};

/** By the name of the play. */
export const failures: Readonly<Record<string, (path: string) => Failure>> = {
  "provider-down": () => down,
  "context-too-long": (path) => ({ status: 400, body: tooLong(path), rule: "too long" }),
};
