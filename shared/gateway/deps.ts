/** Everything that the pipeline touches beyond its arguments. The composition root builds it. */
import type { AccessDeps } from "../access/deps.ts";
import type { Send } from "../platform/http-client.ts";
import type { Secrets } from "../platform/secrets.ts";

export interface Deps extends AccessDeps {
  /** Sends a request to a provider. */
  send: Send;
  secrets: Secrets;
}
