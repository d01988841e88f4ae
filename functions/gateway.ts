/** The streaming function behind the URL. */
import { setFlagsFromString } from "node:v8";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { gatewayDeps } from "./deps.ts";
import { createRespond } from "./respond.ts";

// Node's HTTP client parses answers by WebAssembly. V8 would compile that anew after some ten answers, so within the first
// call of a sandbox, for 12 to 30 ms of CPU. A hundred times later is early enough.
setFlagsFromString("--wasm-tiering-budget=1300000000");

const deps = gatewayDeps();
const respond = createRespond(deps);

export const handler = awslambda.streamifyResponse(async (event, outlet, context) => {
  await respond({ event: event as APIGatewayProxyEventV2, outlet }, outlet, context);
});

/** Does what the first call would else have to do (warm-up.ts). Never rejects. */
export async function warmUp(): Promise<void> {
  const { warmUp: warm } = await import("./warm-up.ts");
  await warm(deps);
}
