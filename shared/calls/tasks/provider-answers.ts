/** What the answers of a provider's task API say of a task, without anything that its clients must not learn. */
import { type ProviderTask, readCreated, readTask } from "../protocols/ark-video/answers.ts";
import { accountReason } from "../upstreams/account.ts";
import { readProviderError } from "../upstreams/provider-error.ts";
import { type Confidential, redact, safeCode, tellsSecret } from "../upstreams/redaction.ts";
import { blamesRequest, requestRefused } from "../upstreams/refusal.ts";
import type { TaskCreation } from "./deps.ts";

interface TaskAnswer {
  status: number;
  bytes: Buffer;
  /** Whom the answer is from. */
  reached: Confidential;
}

const failedCode = "GenerationFailed";
const refusal = { code: "InvalidRequest", message: "The provider refused the request." };

/** The state that an answer reports. Throws where it reports none: a 404 may come from a replica that lags behind. */
export function renderingOf({ status, bytes, reached }: TaskAnswer): ProviderTask {
  if (status !== 200) throw new Error(`status ${status}`);
  const rendering = readTask(bytes);
  if (rendering.state === "unknown") throw new Error("an answer without a state that we know");
  if (rendering.state === "succeed" && tellsSecret(rendering.video.url ?? "", reached)) {
    throw new Error("the video's address tells our key");
  }
  if (rendering.state !== "failed") return rendering;
  const code = safeCode(rendering.code, reached) ?? failedCode;
  return { ...rendering, code, message: redact(rendering.message, reached) };
}

/** What is certain of a task that was sent, and why the provider refuses the account of its key, where it does. */
export function creationOf({ status, bytes, reached }: TaskAnswer): TaskCreation {
  const account = status >= 400 ? accountReason(status, readProviderError(bytes)) : undefined;
  if (blamesRequest(status) && !account) {
    const { message, upstream_code } = requestRefused(bytes, reached).detail;
    const error = { code: upstream_code ?? refusal.code, message: message ?? refusal.message };
    return { kind: "refused", error };
  }
  // A 4xx is certain: nothing was created. A server that fails may do so after it has created the task.
  if (status >= 400 && status <= 499) return { kind: "nothing", reason: `status ${status}`, status, account };
  const id = status >= 200 && status <= 299 ? readCreated(bytes) : undefined;
  return id === undefined ? { kind: "uncertain", reason: `status ${status}` } : { kind: "created", id };
}
