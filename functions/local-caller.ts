import type { Principal } from "#shared/accounts/account.ts";
import { GatewayError } from "#shared/errors.ts";
import type { LocalCall } from "#shared/gateway/local-answers.ts";

/** Who calls with an API key. Throws `not_authenticated` where nobody does. */
export function callerOf({ principal }: LocalCall): Principal {
  if (!principal) throw new GatewayError("not_authenticated");
  return principal;
}
