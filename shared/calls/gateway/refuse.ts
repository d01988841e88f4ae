/**
 * Refuses calls, and keeps for a week why, so that their organization can ask (shared/books/reports/README.md "Refused
 * calls"). The note is written after the last byte of the answer. What writes it is loaded with the first call that is
 * refused.
 */

import { GatewayError, keyOf } from "../../base/errors.ts";
import type { HttpReply, HttpRequest } from "../../base/http/message.ts";
import type { Route } from "../../base/http/routes.ts";
import type { CallNames } from "../../base/platform/log.ts";
import type { RefusedNotes } from "../access/refused-notes.ts";
import type { CallTrace } from "../telemetry/trace.ts";
import { RequestBlamed } from "../upstreams/fault.ts";
import type { Deps } from "./deps.ts";
import { withProgramLine } from "./program-line.ts";
import { rejection } from "./rejection.ts";
import { withNotes } from "./route-taken.ts";

/** A request that is refused. */
interface RefusedRequest {
  request: Pick<HttpRequest, "id" | "headers">;
  /** Whose it is, as far as that is known. */
  names: CallNames;
  trace?: CallTrace | undefined;
}

/** A thrown value as a reply. Never throws, and the reply never waits for the note. */
type Refuse = (error: unknown, asked: RefusedRequest, route: Route) => HttpReply;

/** Refuses in the name of one process. */
export function createRefuse(deps: Pick<Deps, "log" | "refusedCalls">): Refuse {
  let loaded: Promise<RefusedNotes> | undefined;
  const load = async (): Promise<RefusedNotes> => {
    const { RefusedNotes: Notes } = await import("../access/refused-notes.ts");
    return new Notes(await deps.refusedCalls());
  };
  return (thrown, { request, names, trace }, route) => {
    const error = withProgramLine(thrown, request.headers["user-agent"]);
    const reply = rejection(error, { id: request.id, trace, names }, route, deps);
    const { organization, key, project = "", model = null } = names;
    if (!organization || !key || !isCall(route)) return reply;
    const message = messageOf(error);
    const call = { request: request.id, organization, project, key, model, path: route.path };
    const written = async (): Promise<void> => {
      try {
        loaded ??= load();
        await (await loaded).note({ ...call, error: keyOf(error), ...(message && { message }) });
      } catch {
        // The log has the refusal all the same. What could not be loaded is tried again with the next one.
        loaded = undefined;
      }
    };
    return withNotes(reply, { written });
  };
}

/** Whether a route takes calls of models. Nobody looks for a report that was asked for wrongly. */
function isCall({ operation }: Route): boolean {
  return operation === "infer" || operation === "count" || operation === "create_task";
}

/** What the client is told in place of the table's sentence. What a provider says may quote the prompt, and is not kept. */
function messageOf(error: unknown): string | undefined {
  return error instanceof GatewayError && !(error instanceof RequestBlamed)
    ? error.detail.message
    : undefined;
}
