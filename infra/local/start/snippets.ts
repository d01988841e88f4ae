/** The programs of console/snippets.ts and the setups of console/agents.ts, for the local gateway. */
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { createCatalog } from "#shared/books/catalog/models.ts";
import { agentBlocks, agentSetups } from "../../../console/agents.ts";
import { keyVariable, type SdkProtocol } from "../../../console/sdk-programs.ts";
import { installOf, programModel, sdkFamilies } from "../../../console/snippets.ts";
import { threeWays } from "../demo/three-ways.ts";
import { demoPhone } from "../sandbox/phone.ts";
import { type DemoName, demoNames } from "../stack/ready-file.ts";
import type { Gateway } from "./gateway.ts";

/** What gives the id of the model that a program of the demo key names, by its protocol. The wallet pays for that key. */
export function chatModels(catalog: Catalog): (protocol: SdkProtocol) => string | undefined {
  const all = createCatalog(catalog);
  const models = all.models().map((model) => ({ ...model, plans: all.plansWith(model) }));
  return (protocol) => programModel(models, undefined, protocol);
}

/** What the page says of a running gateway, beside its programs. */
type PageOf = Pick<Gateway, "url" | "catalog" | "demo" | "played" | "endpoints">;

/** The page of keys, addresses and programs. Its code blocks run as they are, once the variable of the key is set. */
export function snippetPage(gateway: PageOf): string {
  const { url, catalog, demo, played } = gateway;
  const named = chatModels(catalog);
  const modelFor = (protocol: SdkProtocol) => named(protocol) ?? "MODEL";
  const blocks = sdkFamilies(url, modelFor).flatMap(({ name, baseUrl, snippets }) => [
    `## ${name}\n\nBase URL: \`${baseUrl}\``,
    ...snippets.map(
      (snippet) =>
        `${snippet.language}, after \`${installOf(snippet)}\`:\n\n` +
        `\`\`\`${snippet.language === "Python" ? "py" : "js"}\n${snippet.program}\n\`\`\``,
    ),
  ]);
  const setups = agentSetups({ url, key: `$${keyVariable}` }, modelFor).flatMap((agent) => [
    `### ${agent.name}`,
    ...agentBlocks(agent).map(({ file, language, text }) => {
      const place = file === undefined ? "" : `In \`${file}\`:\n\n`;
      return `${place}\`\`\`${language}\n${text}\n\`\`\``;
    }),
  ]);
  return `${[
    "# The gateway on this machine",
    shell(`export ${keyVariable}=${demo.keys.payg}`),
    "What calls have cost, and what is left:",
    shell(`curl ${url}/api/business/v1/customer/balance -H "Authorization: Bearer $${keyVariable}"`),
    ...keysAndPlaces(gateway),
    ...(played.length > 0
      ? [`The demo provider plays ${played.join(", ")}, whose keys are not in the environment.`]
      : []),
    ...blocks,
    "## Coding agents",
    ...setups,
  ].join("\n\n")}\n`;
}

const shell = (line: string) => `\`\`\`sh\n${line}\n\`\`\``;

/** What each demo key is for. */
const keyUses: Record<DemoName, string> = {
  payg: "pays from a wallet of points",
  subscription: "has a plan",
  free: "has the free plan",
  manager: "manages the keys of its organization",
};

function keysAndPlaces({ url, catalog, demo, endpoints }: PageOf): string[] {
  const keys = demoNames.map((name) => `| \`${demo.keys[name]}\` | ${keyUses[name]} |`);
  const places = [
    [endpoints.console, `the console: sign in with ${demoPhone}; any other number of +86 signs up`],
    [endpoints.inbox, "the codes that the console sends; they are in the terminal too"],
    [endpoints.events, "the events that operators are told: the news of all organizations"],
    [endpoints.paymentPlatform, "the sandbox where orders are paid"],
    [
      endpoints.identityProvider,
      "an identity provider, by which an organization's people sign in, and its DNS",
    ],
    [endpoints.dashboard, "the dashboard: calls, errors, speed, channels, books and alarms"],
    [`${url}/`, "the gateway's own page, with its reference"],
  ].map(([place, what]) => `| ${place} | ${what} |`);
  const [provider] = threeWays.providers;
  return [
    `## Keys\n\n| Key | What it is |\n|---|---|\n${keys.join("\n")}`,
    `## Addresses\n\n| Address | What is there |\n|---|---|\n${places.join("\n")}`,
    ...(catalog.models.some(({ id }) => id === threeWays.id)
      ? [
          `Let a provider of \`${threeWays.id}\` fail:`,
          shell(`curl -X PUT ${endpoints.demoProvider}/weather/${provider} -d outage`),
        ]
      : []),
  ];
}
