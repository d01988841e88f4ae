/** Fields under the names that a vendor knows, and without those that it refuses. */
import { type ChatField, chatFields, type Traits } from "../../../../books/catalog/traits.ts";
import type { Draft } from "../../fitting/draft.ts";

/** What a request loses with a field. Nothing is lost with the wish for a usage, which such a vendor always tells. */
const lost: Record<ChatField, string | undefined> = {
  stream_options: undefined,
  seed: "seed",
  user: "user",
  metadata: "metadata",
  service_tier: "service_tier",
};

export function spellNames(draft: Draft, names: Traits["fields"]): void {
  for (const field of chatFields) {
    const name = names?.[field];
    const value = draft.at(field);
    if (name === undefined || value === undefined) continue;
    draft.set(field, undefined);
    if (name === null) draft.name(field, lost[field]);
    else {
      draft.name(field);
      if (draft.at(name) === undefined) draft.set(name, value);
    }
  }
}
