/** Everything that the pipeline touches beyond its arguments. The composition root builds it. */
import type { AccessDeps } from "../access/deps.ts";
import type { CacheEntries } from "../cache/entries.ts";
import type { Send } from "../platform/http-client.ts";
import type { Secrets } from "../platform/secrets.ts";
import type { Boards } from "../routing/board.ts";

export interface Deps extends AccessDeps {
  cache: CacheEntries;
  /** The folder of the pages (http/pages.ts). */
  pages: string;
  /** Sends a request to a provider. */
  send: Send;
  secrets: Secrets;
  /** What all processes know of the health of channels. */
  boards: Boards;
}
