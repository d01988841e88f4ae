/** The name of a channel on the board (shared/calls/routing/README.md "The board"). */
import { shortName } from "../../base/platform/id.ts";

const characters = 6;

/**
 * Six characters for a provider, its name for the model, and the name of the secret that it is called with. Any other
 * channel of the same model has another id, except once in two thousand million pairs.
 */
export function channelId(provider: string, model: string, secretName: string): string {
  // As JSON, no name can run into the next one.
  return shortName(JSON.stringify([provider, model, secretName]), characters);
}
