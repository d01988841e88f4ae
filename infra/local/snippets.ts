/**
 * The programs of each vendor's SDK and the setups of coding agents for the local gateway. What they are stands in
 * console/snippets.ts and console/agents.ts.
 */
import type { Catalog } from "#shared/catalog/catalog.ts";
import { createCatalog } from "#shared/catalog/models.ts";
import { type Agent, agentBlocks, agentSetups } from "../../console/agents.ts";
import {
  sdkFamilies as familiesAt,
  installOf,
  keyVariable,
  programModel,
  type SdkFamily,
  type SdkProtocol,
} from "../../console/snippets.ts";

export { keyVariable };

/** The five families at a gateway, each with a model of its vendor's where the catalog has one. */
export function sdkFamilies(url: string, catalog: Catalog): SdkFamily[] {
  return familiesAt(url, (protocol) => chatModel(catalog, protocol) ?? "MODEL");
}

/** The id of the model that a program of the demo key names. The wallet pays for that key. */
export function chatModel(catalog: Catalog, protocol: SdkProtocol): string | undefined {
  const all = createCatalog(catalog);
  const models = all.models().map((model) => ({ ...model, plans: all.plansWith(model) }));
  return programModel(models, undefined, protocol);
}

/** The coding agents at a gateway, each with a model that the demo key may call. */
export function agentsAt(url: string, catalog: Catalog): Agent[] {
  return agentSetups({ url, key: `$${keyVariable}` }, (protocol) => chatModel(catalog, protocol) ?? "MODEL");
}

/** The page of programs. Its code blocks run as they are, once the variable of the key is set. */
export function snippetPage(families: readonly SdkFamily[], agents: readonly Agent[], key: string): string {
  const blocks = families.flatMap(({ name, baseUrl, snippets }) => [
    `## ${name}\n\nBase URL: \`${baseUrl}\``,
    ...snippets.map(
      (snippet) =>
        `${snippet.language}, after \`${installOf(snippet)}\`:\n\n` +
        `\`\`\`${snippet.language === "Python" ? "py" : "js"}\n${snippet.program}\n\`\`\``,
    ),
  ]);
  const setups = agents.flatMap((agent) => [
    `### ${agent.name}`,
    ...agentBlocks(agent).map(({ file, language, text }) => {
      const place = file === undefined ? "" : `In \`${file}\`:\n\n`;
      return `${place}\`\`\`${language}\n${text}\n\`\`\``;
    }),
  ]);
  const intro = `# The gateway from each SDK\n\n\`\`\`sh\nexport ${keyVariable}=${key}\n\`\`\``;
  return `${[intro, ...blocks, "## Coding agents", ...setups].join("\n\n")}\n`;
}
