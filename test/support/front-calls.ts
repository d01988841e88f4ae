/** Calls of a scenario that go through a front of the server, and what becomes of them. */
import { type EventEmitter, once } from "node:events";
import { request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { chatBody, chatPath, delta, sse, type useScenario } from "./scenario.ts";

export const streamBody = { ...chatBody, stream: true, stream_options: { include_usage: true } };
export const reported = { outcome: "completed", evidence: "reported", cost_points: "0.000065", calls: 1 };

/** Resolves when it is over, with or without an error. */
export function closed(stream: EventEmitter): Promise<void> {
  return new Promise((resolve) => stream.on("close", resolve));
}

export function frontCalls(scenario: ReturnType<typeof useScenario>) {
  return {
    /** Sends a call, and gives the answer as soon as its head is there. */
    async call(port: number, body: object, headers: Record<string, string> = {}): Promise<IncomingMessage> {
      const options = { port, path: chatPath, method: "POST", agent: false as const };
      const sent = ask({
        ...options,
        headers: { ...scenario.bearer(), "content-type": "application/json", ...headers },
      });
      sent.on("error", () => {}).end(JSON.stringify(body));
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      answer.on("error", () => {});
      return answer;
    },

    /** Resolves when so many calls are settled. */
    async settled(calls: number): Promise<void> {
      while (scenario.memory.settled.length < calls) await new Promise(setImmediate);
    },

    /** A provider that has sent the first frame of a stream, and waits to be told to go on. */
    startedStream(): Promise<ServerResponse> {
      return new Promise((resolve) => {
        scenario.upstream.on((_, response) => {
          response.writeHead(200, sse).write(delta("Hi"));
          resolve(response);
        });
      });
    },
  };
}
