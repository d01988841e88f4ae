/**
 * The key that was made last in this tab, so that snippets can have it. It is in memory only, and forgotten when it is
 * revoked here, when the tab shows another organization, and when the session ends.
 */
import type { MadeKey } from "./api-types.ts";
import { signal } from "./state.ts";

export const madeKey = signal<MadeKey | undefined>(undefined);
