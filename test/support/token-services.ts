/** Token services of the clouds on one address of this machine, and a process with a role of AWS that asks them. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { send } from "#shared/base/platform/http-client.ts";
import type { Authorize, CloudDeps } from "#shared/calls/upstreams/credentials/credential.ts";
import { roleKeys } from "#test/support/clouds.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";

export interface TokenServices extends Upstream {
  deps: CloudDeps & { time: number };
  /** What was asked at a path, from its form or JSON. */
  asked(path: string): Record<string, unknown>[];
  /** From now on the services answer so, by the paths that they are asked at. An object is JSON, a text is XML. */
  answers(byPath: Record<string, object | string>, status?: number): void;
}

/** Starts them. The process's time stands still until a test moves it. */
export async function startTokenServices(): Promise<TokenServices> {
  const upstream = await startUpstream();
  const deps = {
    time: Date.UTC(2026, 10, 29, 12),
    aws: { region: "eu-central-1", credentials: () => roleKeys },
    sts: `${upstream.url}/aws`,
    send,
    now: () => deps.time,
  };
  return {
    ...upstream,
    deps,
    asked: (path) =>
      upstream.requests.filter((each) => each.path.split("?")[0] === path).map(({ body }) => parsed(body)),
    answers(byPath, status = 200) {
      upstream.on((request: IncomingMessage, response: ServerResponse) => {
        const answer = byPath[request.url?.split("?")[0] ?? ""];
        const type = typeof answer === "string" ? "text/xml" : "application/json";
        response.writeHead(answer === undefined ? 404 : status, { "content-type": type });
        response.end(typeof answer === "string" ? answer : JSON.stringify(answer ?? {}));
      });
    },
  };
}

function parsed(body: Buffer): Record<string, unknown> {
  const text = body.toString();
  return text.startsWith("{") ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
}

/** What a kind of credential makes of a request. */
export async function authorized(authorize: Authorize) {
  const asked = { method: "POST", url: "https://models.test/", headers: {}, body: "{}" };
  const { headers, confidential } = await authorize(asked);
  return { headers, confidential };
}
