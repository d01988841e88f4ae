/** The parts of a Converse body that the files of this crossing share (protocols.md §8.1). */
import type { Fields } from "../../../../base/json/fields.ts";

export interface ConverseTurn {
  role: "user" | "assistant";
  content: Fields[];
}

export interface ConverseBody extends Fields {
  messages: ConverseTurn[];
  system?: Fields[];
  toolConfig?: { tools: Fields[]; toolChoice?: Fields };
}
