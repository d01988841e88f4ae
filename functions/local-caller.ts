import { GatewayError } from "#shared/base/errors.ts";
import type { Principal } from "#shared/books/accounts/account.ts";
import type { LocalCall } from "#shared/calls/gateway/local-answers.ts";

/** Who calls with an API key. Throws `not_authenticated` where nobody does. */
export function callerOf({ principal }: LocalCall): Principal {
  if (!principal) throw new GatewayError("not_authenticated");
  return principal;
}
