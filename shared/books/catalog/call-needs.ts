/** Which protocols and prices the kinds of calls need. */
import type { Measure } from "../billing/pricing/modes/mode.ts";
import { type Capability, type ProviderProtocol, protocolNames } from "./catalog.ts";

/** What a kind of call needs: a protocol that it can be sent in, and a price that counts what it produces. */
interface CallNeeds {
  protocols: readonly ProviderProtocol[];
  pricedBy: Measure;
}

/** The capabilities that are kinds of call. The others describe a chat. */
export const callNeeds: Partial<Record<Capability, CallNeeds>> = {
  chat: { protocols: protocolNames, pricedBy: "tokens" },
  embeddings: { protocols: ["openai", "gemini", "ark", "zhipu"], pricedBy: "tokens" },
  multimodal_embeddings: { protocols: ["ark"], pricedBy: "tokens" },
  images: { protocols: ["openai", "ark", "zhipu"], pricedBy: "images" },
  image_edits: { protocols: ["openai", "ark"], pricedBy: "images" },
  video: { protocols: ["ark"], pricedBy: "seconds" },
};
