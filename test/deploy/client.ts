/** A client of the deployed function URL, whose host the emulator knows by the header `Host`. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Emulator } from "./emulator.ts";

export interface Answer {
  status: number;
  headers: IncomingMessage["headers"];
  text: string;
  /** The body, where it is JSON. */
  json: Record<string, unknown>;
}

export interface Client {
  ask(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
}

/** Calls the deployment at `url`, such as `https://abc.lambda-url.eu-central-1.on.aws/`, with the API key `key`. */
export function clientOf({ endpoint }: Pick<Emulator, "endpoint">, url: string, key: string): Client {
  const { host } = new URL(url);
  return {
    async ask(method, path, body, headers = {}) {
      const sent = request(new URL(path, endpoint), {
        method,
        headers: { host, authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        timeout: 60_000,
      });
      sent.on("timeout", () => sent.destroy(new Error(`${method} ${path} got no answer`)));
      sent.end(body && JSON.stringify(body));
      const [reply] = (await once(sent, "response")) as [IncomingMessage];
      const text = Buffer.concat(await Array.fromAsync(reply as AsyncIterable<Buffer>)).toString("utf8");
      const isJson = reply.headers["content-type"]?.startsWith("application/json");
      return {
        status: reply.statusCode ?? 0,
        headers: reply.headers,
        text,
        json: isJson && text !== "" ? JSON.parse(text) : {},
      };
    },
  };
}
