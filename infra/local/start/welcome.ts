/** What `npm start` prints once the gateway runs: what a newcomer needs first, and nothing else (README.md "Try it"). */
import { styleText } from "node:util";
import type { Catalog } from "#shared/books/catalog/catalog.ts";
import { demoPhone } from "../sandbox/phone.ts";
import type { Gateway } from "./gateway.ts";
import { chatModels } from "./snippets.ts";

/** Where the files of this start are, as the reader would name them. */
interface WrittenFiles {
  snippets: string;
  /** The ready file to give to the operator, and whether it finds that one by itself. */
  readyFile: { path: string; isKnown: boolean };
}

/** Base URL, one key, one line to paste, and four addresses. They come last, and what to know besides comes before them. */
export function welcome(
  { url, demo, catalog, endpoints }: Pick<Gateway, "url" | "demo" | "catalog" | "endpoints">,
  { snippets, readyFile }: WrittenFiles,
): string {
  const key = demo.keys.payg;
  return [
    `  Other keys, all addresses, and a program for each SDK: ${snippets}`,
    ...(readyFile.isKnown ? [] : [operatorHint(readyFile.path)]),
    "",
    row("Base URL", `${url}/v1`),
    row("Key", key),
    "",
    `  ${firstCall(url, key, modelToCall(catalog))}`,
    "",
    row("Console", `${endpoints.console}  sign in with ${demoPhone}`),
    row("Operators", `${endpoints.console}/operators  sign in with ${demo.operator_token}`),
    row("Dashboard", endpoints.dashboard),
    row("Reference", `${url}/`),
    "",
  ].join("\n");
}

/** What README.md calls first. Another catalog may not have it. */
const firstModel = "openai/gpt-5.4-mini";

function modelToCall(catalog: Catalog): string {
  const isThere = catalog.models.some(({ id }) => id === firstModel);
  return isThere ? firstModel : (chatModels(catalog)("openai") ?? "MODEL");
}

const row = (name: string, value: string) => `  ${styleText("bold", name.padEnd(10))} ${value}`;

/** One line that streams an answer when it is pasted into another terminal. */
function firstCall(url: string, key: string, model: string): string {
  const body = { model, stream: true, messages: [{ role: "user", content: "Say hello." }] };
  const headers = `-H "Authorization: Bearer ${key}" -H 'Content-Type: application/json'`;
  return `curl -N ${url}/v1/chat/completions ${headers} -d '${JSON.stringify(body)}'`;
}

function operatorHint(path: string): string {
  return `  Another gateway runs here, and the operator goes to that one. For this one: npm run -s operator -- --local --ready-file ${path} …`;
}
