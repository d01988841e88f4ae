/** A service of AWS on this machine whose protocol is JSON over HTTP: a header of each request names its action. */
import { text } from "node:stream/consumers";
import { type Listening, listen } from "./listen.ts";
import { createLocalServer } from "./loopback.ts";

/** What a service refuses, with the error that AWS's clients read. */
export class JsonRefusal extends Error {
  readonly type: string;
  readonly status: number;

  constructor(type: string, message: string, status = 400) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

/** What a browser is shown. */
export interface ShownText {
  type: "text/html" | "application/json";
  body: string;
}

/**
 * Serves on a free port, in this version of the protocol. `perform` takes an action's name and the text of the request.
 * `show` gives what a browser sees at a path.
 */
export async function serveJson(
  version: "1.0" | "1.1",
  perform: (action: string, body: string) => object | Promise<object>,
  show: (path: string) => ShownText | undefined = () => undefined,
): Promise<Listening> {
  const server = createLocalServer(async (request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { "content-type": `application/x-amz-json-${version}` });
      response.end(JSON.stringify(body));
    };
    const shown = request.method === "GET" ? show(request.url ?? "/") : undefined;
    if (shown) {
      response.writeHead(200, { "content-type": `${shown.type}; charset=utf-8` }).end(shown.body);
      return;
    }
    // A client that goes away in the middle of its request gets nothing done.
    const body = await text(request).catch(() => "");
    const action = String(request.headers["x-amz-target"]).replace(/^\w+\./, "");
    try {
      answer(200, await perform(action, body));
    } catch (error) {
      if (!(error instanceof JsonRefusal)) throw error;
      answer(error.status, { __type: error.type, message: error.message });
    }
  });
  return await listen(server, 0);
}

/** The action of a name. Refuses a name that a service does not know, with this error. */
export function actionNamed<Action>(
  actions: Readonly<Record<string, Action>>,
  name: string,
  type: string,
): Action {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw new JsonRefusal(type, `${name} is not known here`);
  return action;
}
