/**
 * The ids of a request that name what a provider keeps. They go up only for the organization and the project that they
 * were given to (calls/protocols/provider-ids.md).
 */
import { mayHaveIds } from "../protocols/provider-ids.ts";
import type { Decoded } from "./decode.ts";
import type { Deps } from "./deps.ts";

/**
 * A call with the ids that its provider knows in place of those that the client has. Rejects with `invalid_request` for
 * one that this project was not given. A call that brings no id, and whose answer brings none, costs a look at its fields.
 */
export async function withOwnIds(
  decoded: Decoded,
  deps: Pick<Deps, "catalog" | "secrets">,
): Promise<Decoded> {
  const { protocol, body } = decoded;
  const { ids: places } = protocol;
  if (!places || !("members" in body)) return decoded;
  const brings = places.answers?.mayBring(body.outline) === true;
  if (!brings && !mayHaveIds(body.outline, places)) return decoded;
  const { changeIds } = await import("./own-ids.ts");
  return await changeIds({ decoded, body, places, brings }, deps);
}
