/**
 * Plays the native client of aws-lambda-ric over plain HTTP, so that no addon has to be compiled. Loaded
 * with `--import`, this module takes the place of the addon; its exports are the addon's.
 */
import { Agent, type ClientRequest, type IncomingHttpHeaders, request } from "node:http";
import { registerHooks } from "node:module";
import { text } from "node:stream/consumers";

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === "./rapid-client.node"
      ? { url: import.meta.url, shortCircuit: true }
      : nextResolve(specifier, context),
});

// One socket: an answer is on its way before the next invocation is asked for, as with the blocking addon.
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function open(method: string, path: string, headers: Record<string, string> = {}): ClientRequest {
  const base = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;
  return request(`${base}/${path}`, { method, headers, agent });
}

/** Waits for the next invocation. Rejects when the Runtime API is gone. */
export function next(): Promise<{ bodyJson: string; headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    open("GET", "next")
      .once("response", (reply) => {
        text(reply).then((bodyJson) => resolve({ bodyJson, headers: reply.headers }), reject);
      })
      .once("error", reject)
      .end();
  });
}

/** Posts the result of a function that does not stream. */
export function done(id: string, body: string): void {
  post(`${id}/response`, body, {});
}

/** Posts the failure of a function that does not stream. */
export function error(id: string, body: string, cause: string): void {
  post(`${id}/error`, body, { "lambda-runtime-function-xray-error-cause": cause });
}

function post(path: string, body: string, headers: Record<string, string>): void {
  open("POST", path, { "content-type": "application/json", ...headers })
    .once("response", (reply) => reply.resume())
    .end(body);
}
