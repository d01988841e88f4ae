/** Everything that the pipeline touches beyond its arguments. The composition root builds it. */

import type { Send } from "../../base/platform/http-client.ts";
import type { Secrets } from "../../base/platform/secrets.ts";
import type { PrincipalCache } from "../access/authenticate.ts";
import type { AccessDeps } from "../access/deps.ts";
import type { RefusedCalls } from "../access/refused-calls.ts";
import type { SessionPorts } from "../access/sessions.ts";
import type { CacheEntries } from "../cache/entries.ts";
import type { SemanticPorts } from "../cache/semantic/ports.ts";
import type { Boards } from "../routing/board.ts";
import type { Tracing } from "../telemetry/trace.ts";
import type { Clouds } from "../upstreams/credentials/index.ts";
import type { OwnKeys } from "../upstreams/opened-keys.ts";

export interface Deps extends AccessDeps {
  cache: CacheEntries;
  /** The stores of the cache that few calls need. Their code is loaded with the first such call. */
  semantic(): Promise<SemanticPorts>;
  /** What is kept of refused calls. Its code is loaded with the first of them. */
  refusedCalls(): Promise<RefusedCalls>;
  /** Opens sessions, whose code is loaded then. Absent where the function knows no table of accounts. */
  sessions?: (() => Promise<SessionPorts>) | undefined;
  /** The keys that this process has read. */
  keys: PrincipalCache;
  /** The folder of the pages (base/http/pages.ts). */
  pages: string;
  /** Sends a request to a provider. */
  send: Send;
  secrets: Secrets;
  clouds: Clouds;
  /** The organizations' own keys at providers that this process has opened. */
  ownKeys: OwnKeys;
  /** What all processes know of the health of channels. */
  boards: Boards;
  /** Traces calls, where an endpoint for traces is named. Its code is loaded with the process then. */
  tracing?: Promise<Tracing | undefined> | undefined;
}
