/** Loads the operators' API with the first request for it. */
import type { HttpReply } from "../../base/http/message.ts";
import type { Log } from "../../base/platform/log.ts";
import type { ConsoleRequest } from "../console/call.ts";
import { rejection, withStandardHeaders } from "../console/pipeline.ts";

type Serve = (request: ConsoleRequest) => Promise<HttpReply>;

/** Serves with what `open` gives. Where that fails, the request gets `internal`, and the next one opens anew. */
export function openedByFirst(open: () => Promise<Serve>, deps: { log: Log }): Serve {
  let opened: Promise<Serve> | undefined;
  return async (request) => {
    opened ??= open();
    const opening = opened;
    try {
      const serve = await opening;
      return await serve(request);
    } catch (error) {
      // Another request may have opened it anew by now.
      if (opened === opening) opened = undefined;
      return withStandardHeaders(rejection(error, request, { path: "/api/admin" }, deps), request);
    }
  };
}
