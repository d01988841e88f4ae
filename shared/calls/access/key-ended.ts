/** A call whose key was changed or revoked, or whose organization got other budgets, since this process read the record. */
import { GatewayError } from "../../base/errors.ts";
import type { PrincipalCache } from "./authenticate.ts";

/** How often a call reads its key, where the record was changed each time. */
const readingsMax = 5;

/** Thrown where the meter says that the record which a call goes by is not the last one. Nothing was held. */
export class KeyEnded extends GatewayError {
  /** The key's id. */
  readonly id: string;
  /** It is the record of the key's organization that was changed. */
  readonly isOfOrganization: boolean;

  constructor(id: string, isOfOrganization = false) {
    super("invalid_key");
    this.id = id;
    this.isOfOrganization = isOfOrganization;
  }
}

/**
 * What `answer` gives, which reads the key by `keys`, for so many a time. A record that was not the last one is forgotten, and all begins anew.
 * Then a key that was changed goes by what it is now, and one that was revoked is refused. A call does so a few times at
 * most, because each time somebody has changed its key in between.
 */
export async function byLastRecord<Reply>(
  answer: (reading: number) => Reply | Promise<Reply>,
  keys: Pick<PrincipalCache, "forgetKey" | "forgetOwner">,
): Promise<Reply> {
  for (let reading = 1; ; reading++) {
    try {
      return await answer(reading);
    } catch (error) {
      if (!(error instanceof KeyEnded) || reading >= readingsMax) throw error;
      if (error.isOfOrganization) keys.forgetOwner(error.id);
      else keys.forgetKey(error.id);
    }
  }
}
