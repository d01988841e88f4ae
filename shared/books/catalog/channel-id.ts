/** The name of a channel on the board (shared/calls/routing/README.md "The board"). */
import { shortName } from "../../base/platform/id.ts";

const characters = 6;

/** Six characters for a provider, its name for the model and its secret. Two channels share them once in 2·10⁹ pairs. */
export function channelId(provider: string, model: string, secretName: string): string {
  // As JSON, no name can run into the next one.
  return shortName(JSON.stringify([provider, model, secretName]), characters);
}
