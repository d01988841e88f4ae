/** Hosted tools that coding agents send unasked: a model needs a rate for each (books/catalog/README.md "Switches"). */
import { rateFor } from "../billing/pricing/rates.ts";
import type { Catalog } from "./catalog.ts";
import { createCatalog } from "./models.ts";
import { traitsAt } from "./traits.ts";

interface AgentTool {
  agent: string;
  /** When it sends the tool, after its name in a sentence. */
  when: string;
  protocol: "openai" | "responses" | "anthropic" | "gemini";
  /** The tool's type on the wire, as the traits' `hosted_tools` name it. */
  type: string;
  /** The name of its rate. */
  name: string;
}

/** As the programs were seen to send them in November 2026. */
export const agentTools: readonly AgentTool[] = [
  {
    agent: "Codex",
    when: "with every request",
    protocol: "responses",
    type: "web_search",
    name: "web_search",
  },
  {
    agent: "Claude Code",
    when: "when it searches",
    protocol: "anthropic",
    type: "web_search_20250305",
    name: "web_search",
  },
  {
    agent: "Gemini CLI",
    when: "when it searches",
    protocol: "gemini",
    type: "googleSearch",
    name: "google_search",
  },
];

/** How many models a line names. */
const namedMax = 5;

/** A line for each tool that chat models have no rate for. Hosts that are known not to run it do not count. */
export function unratedAgentTools(catalog: Catalog): string[] {
  const priced = createCatalog(catalog);
  const models = priced.models();
  return agentTools.flatMap(({ agent, when, protocol, type, name }) => {
    const unrated = models.filter((model) => {
      const reaches = model.channels.some((channel) => {
        const provider = priced.provider(channel.provider);
        if (provider?.protocols[protocol] === undefined) return false;
        return traitsAt(model, provider, channel).hosted_tools?.includes(type) !== false;
      });
      const isChat = model.capabilities.includes("chat");
      return isChat && reaches && rateFor(model.price, { kind: "tool", name }) === undefined;
    });
    if (unrated.length === 0) return [];
    const named = unrated.slice(0, namedMax).map(({ id }) => id);
    const rest = unrated.length - named.length;
    const told = `${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
    return [`${agent} sends ${type} ${when}, and is refused by models without a rate for ${name}: ${told}`];
  });
}
