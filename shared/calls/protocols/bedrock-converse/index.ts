import { eventName } from "../../../base/sse/event-name.ts";
import { renderFrame } from "../../../base/sse/frames.ts";
import { createEventForm, errorFrame } from "../bedrock-invoke/event-form.ts";
import { address } from "../bedrock-invoke/path.ts";
import type { Protocol } from "../protocol.ts";
import type { ConverseParts } from "./parts.ts";
import { words } from "./ways.ts";

let loaded: ConverseParts | undefined;

/** Throws `TypeError` before anybody has loaded it. */
function parts(): ConverseParts {
  if (!loaded) throw new TypeError("Converse is not loaded");
  return loaded;
}

const createForm = () =>
  createEventForm((data, frame) => ({ event: eventName(frame), payload: Buffer.from(data) }));

/**
 * Converse of Amazon Bedrock, one form for the models of all makers (protocols.md §8). Few stages have
 * clients or providers of it. So the first call of either loads its parts (`parts.ts`), and the first crossing loads what
 * only crossings need (`converse.ts`).
 */
export const bedrockConverse = {
  name: "bedrock-converse",
  capability: "chat",
  kind: "chat",
  bases: ["converse"],
  async load() {
    loaded ??= (await import("./parts.ts")).converseParts;
  },
  upstreamPath: (model, { stream }) =>
    `/model/${encodeURIComponent(model)}/converse${stream ? "-stream" : ""}`,
  get keys() {
    return parts().keys;
  },
  address,
  readRequest: (...given) => parts().readRequest(...given),
  passThrough: (...given) => parts().passThrough(...given),
  untag: (...given) => parts().untag(...given),
  readReply: (bytes) => parts().readReply(bytes),
  usage_at: { whole: ["usage"], streamed: ["usage"] },
  stream: {
    createReader: () => parts().createReader(),
    createStopper: () => parts().createStopper(),
    createForm: ({ stream }) => (stream ? createForm() : undefined),
    outputBytes: (event) => parts().outputBytes(event),
    errorFrame,
    // No event of Converse says nothing. SDKs pass over one that they do not know.
    get ping() {
      return createForm().push(renderFrame("{}", "ping"));
    },
  },
  ways: words,
  crossing: "bedrock-converse",
} satisfies Protocol;
