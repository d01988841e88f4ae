/** What `npm start` prints once the gateway runs: what to paste, and where to read more. */
import { styleText } from "node:util";
import { demoPhone } from "./demo/phone.ts";
import { threeWays } from "./demo/three-ways.ts";
import type { Gateway } from "./gateway.ts";
import { chatModel, keyVariable, sdkFamilies } from "./snippets.ts";

/** Where the files of this start are, as the reader would name them. */
export interface Written {
  snippets: string;
  /** The ready file to give to the operator, and whether it finds that one by itself. */
  readyFile?: { path: string; isKnown: boolean };
}

/** Base URLs, keys, clients of each SDK, and commands that work when they are pasted. */
export function welcome(
  gateway: Pick<Gateway, "url" | "demo" | "catalog" | "played" | "endpoints">,
  written: Written,
): string {
  const { url, demo, catalog, played, endpoints } = gateway;
  return [
    section(
      "Demo keys",
      Object.entries(demo.keys).map(([name, key]) => `${name.padEnd(14)} ${key}`),
    ),
    section("Console", [
      `${endpoints.console}  accounts, keys, usage and payments`,
      `Sign in with ${demoPhone}: an organization with some calls. Any other number of +86 signs up.`,
      `Codes come here and to ${endpoints.inbox}. Orders are paid at ${endpoints.paymentPlatform}.`,
    ]),
    section("Dashboard", [
      `${endpoints.dashboard}  calls, errors, speed, channels, books and alarms, as CloudWatch shows them`,
    ]),
    section("Clients", clients(gateway)),
    `  A program for each of them: ${written.snippets}`,
    section("Stream a call, then read what it cost", [
      `export ${keyVariable}=${demo.keys.payg}`,
      `curl -N ${url}/v1/chat/completions -H "authorization: Bearer $${keyVariable}" -H 'content-type: application/json' \\`,
      `  -d '${JSON.stringify({ model: chatModel(catalog, "openai"), stream: true, messages: [{ role: "user", content: "Hello!" }] })}'`,
      `curl ${url}/api/business/v1/customer/balance -H "authorization: Bearer $${keyVariable}"`,
    ]),
    ...(catalog.models.some(({ id }) => id === threeWays.id)
      ? [
          section(`Let a provider of ${threeWays.id} fail`, [
            `curl -X PUT ${endpoints.demoProvider}/weather/${threeWays.providers[0]} -d outage`,
          ]),
        ]
      : []),
    ...(written.readyFile?.isKnown === false ? [operatorHint(written.readyFile.path)] : []),
    ...(played.length > 0
      ? [`\nThe demo provider plays ${played.join(", ")}, whose keys are not in the environment.`]
      : []),
    "",
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string {
  return [`\n${styleText("bold", title)}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

/** A line for each SDK with its base URL, and one for each language with what makes the client. */
function clients({ url, catalog }: Pick<Gateway, "url" | "catalog">): string[] {
  return sdkFamilies(url, catalog).flatMap(({ name, baseUrl, snippets }) => [
    `${name.padEnd(14)} ${baseUrl}`,
    ...snippets.map(({ language, client }) => `  ${styleText("dim", language.padEnd(12))} ${client}`),
  ]);
}

function operatorHint(path: string): string {
  return `\nAnother gateway runs here, and the operator goes to that one. For this one: npm run -s operator -- --local --ready-file ${path} …`;
}
