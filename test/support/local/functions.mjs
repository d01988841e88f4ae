/**
 * Small functions in the form of bundles, for the tests of the local runtime. They call back to the test's
 * own server (`gate`), so that the test decides when they go on and knows where they are.
 */
import { threadId } from "node:worker_threads";

const stream = (run) => awslambda.streamifyResponse(run);
const gateOf = (event) => event.queryStringParameters.gate;
const pass = (gate, name) => fetch(`${gate}/${name}`);

export const echo = stream(async (event, response, context) => {
  const told = { event, remaining: context.getRemainingTimeInMillis(), region: process.env.AWS_REGION };
  const headers = { "content-type": "application/json", "x-own": "1" };
  const reply = awslambda.HttpResponseStream.from(response, {
    statusCode: 201,
    headers,
    cookies: ["a=1", "b=2"],
  });
  reply.write("");
  reply.end(JSON.stringify(told));
});

export const gated = stream(async (event, response) => {
  response.write("first");
  await pass(gateOf(event), "go-on");
  response.end("second");
});

/** Writes far more than a socket holds, and says how far it came. */
export const flood = stream(async (event, response) => {
  const chunk = Buffer.alloc(64 * 1024);
  response.write(chunk);
  await pass(gateOf(event), "started");
  for (let count = 0; count < 400; count++) {
    if (!response.write(chunk)) await new Promise((resolve) => response.once("drain", resolve));
  }
  await new Promise((resolve) => response.end(resolve));
  await pass(gateOf(event), "finished");
});

export const careless = stream(async (event, response) => {
  switch (event.rawPath) {
    case "/crash":
      setImmediate(() => {
        throw new Error("nobody catches this");
      });
      return await new Promise(() => {});
    case "/throw":
      throw new Error("before the first byte");
    case "/late":
      response.write("some");
      throw new Error("after the first byte");
    case "/destroy":
      response.destroy(new Error("destroyed"));
      return await new Promise(() => {});
    case "/no-write":
      awslambda.HttpResponseStream.from(response, { statusCode: 403 }).end("lost prelude");
      return undefined;
    case "/open":
      response.write("some");
      return await new Promise(() => {});
    case "/hang":
      return await new Promise(() => {});
    default:
      return response.end("fine");
  }
});

export const batch = async ({ Records }) => {
  if (Records.some(({ body }) => body === "throw")) throw new Error("the whole batch");
  const failed = Records.filter(({ body }) => body === "poison");
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};

/** A worker of tasks that loses its process while it submits. */
export const worker = async ({ action, polls }) => {
  if (action === "submit") {
    setImmediate(() => {
      throw new Error("nobody catches this");
    });
    return await new Promise(() => {});
  }
  return { done: true, wait_seconds: 0, polls: polls + 1 };
};

/** Answers whole, as the console does: what the query asks for. */
export function whole(event) {
  switch (event.rawQueryString) {
    case "picture":
      return {
        statusCode: 201,
        headers: { "content-type": "image/png", "x-own": "1" },
        cookies: ["a=1; Path=/", "b=2"],
        body: Buffer.from([0, 255, 128]).toString("base64"),
        isBase64Encoded: true,
      };
    case "value":
      return { reconciled: 3 };
    case "large":
      return { statusCode: 200, body: "x".repeat(6 * 1024 * 1024 + 1) };
    case "throw":
      throw new Error("on purpose");
    default:
      return {
        statusCode: 200,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ event }),
      };
  }
}

/** Answers with the number of its thread, at once or half a second later. */
export const lasting = stream(async (event, response) => {
  if (event.rawPath === "/slow") await new Promise((resolve) => setTimeout(resolve, 500));
  response.write(String(threadId));
  response.end();
});
