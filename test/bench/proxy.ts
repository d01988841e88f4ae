/**
 * The least that a gateway in Node can be, in a process of its own. It passes every request on to the address in its
 * first argument, and every answer back as it comes. It looks at nothing. The client is the undici that Node carries,
 * the fastest one that a Node gateway has without a package.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "#infra/local/emulators/listen.ts";

interface Controller {
  pause(): void;
  resume(): void;
}

/** What is used of undici's dispatcher, which has no types in Node. */
interface Dispatcher {
  dispatch(request: object, receiver: object): boolean;
}

// Node makes its dispatcher when a class of fetch is first looked at.
void globalThis.Request;
const dispatcher = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1")) as Dispatcher;
const origin = process.argv[2] ?? "";

function pass(request: IncomingMessage, response: ServerResponse): void {
  const { host, connection, ...headers } = request.headers;
  const { url: path, method } = request;
  dispatcher.dispatch(
    { origin, path, method, headers, body: request },
    {
      onRequestStart() {},
      onResponseStart(_controller: Controller, status: number, answered: Record<string, string>) {
        const { connection: _, "keep-alive": __, "transfer-encoding": ___, ...passed } = answered;
        response.writeHead(status, passed);
      },
      onResponseData(controller: Controller, chunk: Buffer) {
        if (response.write(chunk)) return;
        controller.pause();
        response.once("drain", () => controller.resume());
      },
      onResponseEnd: () => void response.end(),
      onResponseError: () => void response.destroy(),
    },
  );
}

process.on("disconnect", () => process.exit(0));
process.send?.((await listen(createServer(pass), 0)).url);
