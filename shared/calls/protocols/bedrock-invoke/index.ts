import { anthropic } from "../anthropic/index.ts";
import { createStopper } from "../anthropic/pass-through/early-end.ts";
import type { Protocol } from "../protocol.ts";
import { createEventForm, errorFrame } from "./event-form.ts";
import { address } from "./path.ts";
import { forwardHeaders, passThrough, readRequest } from "./request.ts";

let loaded: typeof import("./counts.ts") | undefined;

/** Throws `TypeError` before anybody has loaded them. */
function counts(): typeof import("./counts.ts") {
  if (!loaded) throw new TypeError("the counters of InvokeModel are not loaded");
  return loaded;
}

/** Frames of Anthropic's as parts of one stream of Bedrock's, which has their JSON as bytes. */
const createForm = () => {
  const counted = counts().createCounting();
  return createEventForm((data) => ({
    event: "chunk",
    payload: Buffer.from(JSON.stringify({ bytes: Buffer.from(counted(data)).toString("base64") })),
  }));
};

/**
 * Bedrock's `InvokeModel` and `InvokeModelWithResponseStream` with Anthropic's body. Everything behind the path, the body's
 * members and the form of the stream is Anthropic's protocol.
 */
export const bedrockInvoke = {
  ...anthropic,
  name: "bedrock-invoke",
  // Few stages have clients of it, so the first call loads what writes its counters.
  async load() {
    loaded ??= await import("./counts.ts");
  },
  address,
  readRequest,
  passThrough,
  forwardHeaders,
  replyHeaders: (bytes) => counts().countHeaders(bytes),
  stream: {
    ...anthropic.stream,
    createStopper: () => createStopper(errorFrame),
    createForm: ({ stream }) => (stream ? createForm() : undefined),
    errorFrame,
    get ping() {
      return createForm().push(anthropic.stream.ping);
    },
  },
} satisfies Protocol;
