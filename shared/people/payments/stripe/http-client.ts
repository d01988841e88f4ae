/** Stripe's package sends its requests through our HTTP client, so that they have the bounds of all channels. */
import type { Stripe } from "stripe";
import type { Send } from "../../../base/platform/http-call.ts";
import { exchange } from "../ask.ts";

/** What Stripe's package wants of a client. The last three parameters of a request are a body, `http` or `https`, and a time. */
export function createStripeHttpClient(send: Send): Stripe.HttpClient {
  return {
    getClientName: () => "model-gateway",
    async makeRequest(host, port, path, method, headers, body, protocol) {
      const answer = await exchange(
        { method, url: `${protocol}://${host}:${port}${path}`, headers: textsOf(headers), body },
        send,
      );
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => answer.headers as Record<string, string>,
        getRawResponse: () => answer,
        toStream: () => {
          throw new Error("answers of Stripe are read whole");
        },
        toJSON: async () => JSON.parse(answer.body) as unknown,
      };
    },
  };
}

/** Our client counts the body's length itself. */
function textsOf(headers: object): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "content-length");
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
