/**
 * Who may ask the stand-ins of this machine (infra/local/README.md "Web pages"). A page in a browser can send requests to any
 * address of loopback, and a name of its own can lead there. Its requests tell: by the page's origin, or by that name.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as send,
} from "node:http";
import { type Listening, listen } from "./listen.ts";

const host = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;
const origin = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/** Whether a request names loopback as its host, and comes from no page or from one of loopback. */
export function isOfThisMachine(headers: Pick<IncomingHttpHeaders, "host" | "origin">): boolean {
  return host.test(headers.host ?? "") && (headers.origin === undefined || origin.test(headers.origin));
}

/** What others are told, with 403. */
const refusalText = "Only this machine is answered here, by the address that npm start prints.\n";

/** A server that answers this machine, and refuses all others before `answer` sees them. */
export function createLocalServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  return createServer((request, response) => {
    if (isOfThisMachine(request.headers)) answer(request, response);
    else response.writeHead(403, { "content-type": "text/plain; charset=utf-8" }).end(refusalText);
  });
}

/** Opens an address on a free port that passes on to `endpoint` what this machine asks, and nothing else. */
export async function openDoor(endpoint: string): Promise<Listening> {
  const server = createLocalServer((request, response) => {
    const { method, url = "/", headers } = request;
    const passed = send(new URL(url, endpoint), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => response.destroy()).pipe(response);
    });
    passed.on("error", () => response.destroy());
    // A client that goes away takes its request with it.
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  return await listen(server, 0);
}
