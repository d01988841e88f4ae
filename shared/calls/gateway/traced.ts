/** What the path of a call tells its trace, if it has one (shared/calls/telemetry/README.md). */

import type { HttpReply } from "../../base/http/message.ts";
import type { CallNames } from "../../base/platform/log.ts";
import type { Principal } from "../../books/accounts/account.ts";
import type { CallFacts, CallTrace } from "../telemetry/trace.ts";
import type { Decoded } from "./decode.ts";

/** Who calls. */
export function callerFacts({ key, organization }: Principal): CallFacts {
  return { organization: organization.id, project: key.project, key: key.id };
}

/** Notes who calls for the line of a refusal. A key of the organization has no project. */
export function nameCaller(names: CallNames, { organization, project, key }: CallFacts): void {
  if (organization) names.organization = organization;
  if (project) names.project = project;
  if (key) names.key = key;
}

/** Tells the trace who calls, and what is logged if the request is refused. */
export function noteCaller(
  { trace, names }: { trace: CallTrace | undefined; names: CallNames },
  facts: CallFacts,
): void {
  nameCaller(names, facts);
  trace?.note(facts);
}

/** What is asked. */
export function decodedFacts({ model, protocol, call }: Decoded): CallFacts {
  return { model: model.id, kind: protocol.kind, stream: call.stream };
}

/**
 * The reply, whose trace ends after everything else: the call is settled by then, and its client has the last byte.
 */
export function traced(
  reply: HttpReply,
  trace: CallTrace | undefined,
  { now }: { now: () => number },
): HttpReply {
  if (!trace) return reply;
  const after = async (): Promise<void> => {
    const ended_at = now();
    try {
      await reply.after?.();
    } finally {
      await trace.finish(reply, ended_at);
    }
  };
  return { ...reply, after };
}
