import type { ContactKind } from "../../people/identity/contact.ts";

/** What the browser has to know of the stage before it asks anything. It stands in index.html. */
export interface ConsoleSettings {
  /** Where the gateway answers, without a slash at its end. Snippets name it, and the playground calls it. */
  gateway_url: string;
  /** By what people sign in. */
  kinds: readonly ContactKind[];
  /** Whose phones get codes, as `+86`. */
  countries: readonly string[];
  registration: "open" | "closed";
  /** Where codes can be read on a local machine. */
  inbox_url?: string;
}
