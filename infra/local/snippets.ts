/** The programs of each vendor's SDK for the local gateway. What they are stands in console/snippets.ts. */
import type { Catalog, ModelEntry, ProviderProtocol } from "#shared/catalog/catalog.ts";
import { sdkFamilies as familiesAt, installOf, keyVariable, type SdkFamily } from "../../console/snippets.ts";

export { keyVariable };

/** The five families at a gateway, each with a model of its vendor's where the catalog has one. */
export function sdkFamilies(url: string, catalog: Catalog): SdkFamily[] {
  return familiesAt(url, (protocol) => chatModel(catalog, protocol)?.id ?? "MODEL");
}

/** The first model to chat with whose provider speaks the protocol, else the first of any. */
export function chatModel(
  { models, providers }: Catalog,
  protocol: ProviderProtocol,
): ModelEntry | undefined {
  const chats = models.filter(({ capabilities }) => capabilities.includes("chat"));
  const speaks = ({ channels }: ModelEntry) =>
    channels.some(({ provider }) => providers[provider]?.protocols[protocol] !== undefined);
  return chats.find(speaks) ?? chats[0];
}

/** The page of programs. Its code blocks run as they are, once the variable of the key is set. */
export function snippetPage(families: readonly SdkFamily[], key: string): string {
  const blocks = families.flatMap(({ name, baseUrl, snippets }) => [
    `## ${name}\n\nBase URL: \`${baseUrl}\``,
    ...snippets.map(
      (snippet) =>
        `${snippet.language}, after \`${installOf(snippet)}\`:\n\n` +
        `\`\`\`${snippet.language === "Python" ? "py" : "js"}\n${snippet.program}\n\`\`\``,
    ),
  ]);
  const intro = `# The gateway from each SDK\n\n\`\`\`sh\nexport ${keyVariable}=${key}\n\`\`\``;
  return `${[intro, ...blocks].join("\n\n")}\n`;
}
