/** Routes, headers and errors, as the generated pages of `shared/base/http` and `shared/calls/gateway` show them. */
import { type ErrorKey, errorCodes } from "#shared/base/errors.ts";
import { isChosen, keyDefaultRows } from "#shared/books/accounts/key-defaults.ts";
import { forms, type Meaning, refusalCodes, type VendorForm } from "#shared/calls/upstreams/refusal-codes.ts";
import { openApiDocument } from "#shared/edges/openapi/document.ts";
import { answeredHeaders, requestHeaders } from "#shared/edges/openapi/header-words.ts";
import { codes, tableOf } from "./page.ts";

interface Operation {
  tags: string[];
  summary: string;
  description?: string;
  "x-error-style": string[];
}

/** The routes by what they are for, in the words of the OpenAPI document. HEAD is left out: it asks for the same. */
export function routesPage(): string {
  const { paths } = openApiDocument("") as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "head")
      .map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, ...operation })),
  );
  const groups = Map.groupBy(operations, ({ tags }) => tags.join());
  const sections = [...groups].map(([tag, own]) => {
    // Routes that do the same and fail in the same form are one row.
    const alike = Map.groupBy(own, (each) => `${each.summary} ${each["x-error-style"].join()}`);
    const rows = [...alike.values()].map((same) => {
      const [{ summary, "x-error-style": styles } = { summary: "", "x-error-style": [] }] = same;
      return [same.map(({ route }) => codes([route])).join("<br>"), summary, codes(styles)];
    });
    return `## ${tag}\n\n${tableOf(["Route", "What", "Errors"], rows)}`;
  });
  return sections.join("\n\n");
}

/** The headers of requests and answers, and which of them a key may have a default for. */
export function headersPage(): string {
  const rowsOf = (headers: typeof requestHeaders) =>
    headers.map(({ names, place, what }) => [codes(names), place, what]);
  const defaults = keyDefaultRows.map(([name, row]) => [
    codes([name]),
    codes([row.header]),
    isChosen(row)
      ? `${row.isList ? "a list of " : ""}${codes(row.values)}`
      : `as the header, such as ${codes([row.example])}`,
  ]);
  return [
    "## What a request may say",
    tableOf(["Header", "Value", "Effect"], rowsOf(requestHeaders)),
    "## What an answer says",
    tableOf(["Header", "Where", "Meaning"], rowsOf(answeredHeaders)),
    "## Defaults of keys",
    tableOf(["Member of `defaults`", "Stands for", "Values"], defaults),
  ].join("\n\n");
}

/** Our codes, and what clients of each vendor are told of the errors that applications branch on. */
export function codesPage(): string {
  return [
    "## Codes",
    tableOf(["Code", "Type", "Message"], ownCodes()),
    "## Names",
    tableOf(["Meaning", ...forms.map((form) => titles[form])], namesOfMeanings()),
    "## Beginnings",
    tableOf(["Meaning", "For a client of", "The message begins with"], beginnings()),
  ].join("\n\n");
}

const titles: Record<VendorForm, string> = {
  openai: "OpenAI",
  images: "OpenAI images",
  anthropic: "Anthropic",
  gemini: "Gemini",
  ark: "Ark",
  zhipu: "Zhipu",
};
const meanings = Object.keys(refusalCodes) as Meaning[];

/** ↩ marks an error that nobody should repeat as it is: its row says so, or its status does. */
function ownCodes(): string[][] {
  const keys = Object.keys(errorCodes) as ErrorKey[];
  const rows = keys.map((key) => {
    const { code, type, message, retry } = errorCodes[key];
    const lasts = retry === false || (code >= 40_000 && code < 40_500);
    return [String(code), codes([type]), `${message}${lasts ? " ↩" : ""}`];
  });
  return rows.toSorted(([a = ""], [b = ""]) => a.localeCompare(b));
}

function namesOfMeanings(): string[][] {
  return meanings.map((meaning) => [
    codes([meaning]),
    ...forms.map((form) => {
      const { code, type, status } = refusalCodes[meaning].spoken[form] ?? {};
      const name = code ?? status ?? type;
      return name === undefined ? "–" : codes([name]);
    }),
  ]);
}

/** Where a vendor's clients read the message. */
function beginnings(): string[][] {
  return meanings.flatMap((meaning) =>
    forms.flatMap((form) => {
      const { says, counted = says } = refusalCodes[meaning].spoken[form] ?? {};
      return counted === undefined ? [] : [[codes([meaning]), titles[form], codes([counted])]];
    }),
  );
}
