/** What a crossing does so that no vendor refuses it. */
import type { Row } from "#test/guards/guard.ts";

const prefix =
  "shared/calls/exchange/shared-prefix › the shared beginning is the same bytes in each of ten turns";
const pairs = "shared/calls/protocols/bounds/every-pair › no vendor refuses what crosses";

export const vendorBounds: Row[] = [
  {
    id: "vendors-1",
    test: pairs,
    guard: "if (form.pattern.test(name)) return name;",
    without: "if (name) return name;",
  },
  {
    id: "vendors-2",
    test: pairs,
    guard: "next.user = shortUser(user, bounds.user_chars);",
    without: "next.user = user;",
  },
  {
    id: "vendors-3",
    test: pairs,
    guard: "const root = form.plain_root ? plainRoot(schema, dropped) : schema;",
    without: "const root = schema;",
  },
  {
    id: "vendors-4",
    test: pairs,
    guard: "return form.complete ? complete(known) : known;",
    without: "return known;",
  },
  {
    id: "vendors-5",
    test: pairs,
    guard: "required: members.map(([name]) => name),",
    without: "required,",
  },
  {
    id: "vendors-6",
    test: pairs,
    guard: "if (!unique_tools) return tools;",
    without: "if (tools) return tools;",
  },
  {
    id: "vendors-7",
    test: pairs,
    guard: "const request = bounds.spoken_texts ? spoken(given) : given;",
    without: "const request = given;",
  },
  {
    id: "vendors-8",
    test: "shared/calls/protocols/bounds/answers › lose the nulls that stand for what is not there, however their text is cut, and nothing else",
    guard: 'const out = level?.hasLeft === false ? text.replace(",", "") : text;',
    without: "const out = text;",
  },
  {
    id: "vendors-20",
    rule: "spaces that a model writes take no time by their square",
    test: "shared/base/json/linear › nulls are taken out in linear time from %s",
    guard: 'if (char.trim() !== "") [isBlank, afterColon] = [false, char === ":"];',
    without: '[isBlank, afterColon] = [text.trim() === "", text.trimEnd().endsWith(":")];',
  },
  {
    id: "vendors-9",
    test: "shared/calls/protocols/bounds/answers › cut a stream where they cut the whole answer, however it is cut",
    guard: "const kept = beginningAtEnd(waiting, stops);",
    without: "const kept = stops.length * 0;",
  },
  {
    id: "vendors-10",
    test: "shared/calls/protocols/anthropic/coding-agents › the line of attribution crosses to nobody",
    guard: ".filter(({ text }) => !isAttribution(text))",
    without: ".filter(({ text }) => text !== undefined)",
  },
  {
    id: "vendors-11",
    test: "shared/calls/protocols/anthropic/cache-points › of the client count instead, in each place where OpenRouter and LiteLLM read them",
    guard: "if (own > 0) return own > pointsMax ? withLastPoints(body, own - pointsMax) : body;",
    without: "if (own > 0) return body;",
  },
  {
    id: "vendors-12",
    test: "shared/calls/protocols/bounds/bounds › a strict schema has no %s, and what is dropped is told",
    guard: '...["unevaluatedItems", "contains", "minContains", "maxContains", "uniqueItems", "default"],',
    without: "",
  },
  {
    id: "vendors-13",
    test: "shared/calls/protocols/bounds/mutants › with all rules of the bounds there is no fault",
    guard: "const cut = stop.length < given.stop.length ? given.stop : [];",
    without: "const cut: string[] = [];",
  },
  {
    id: "vendors-14",
    test: prefix,
    guard: 'hash("sha256", name).slice(0, longer)',
    without: 'hash("sha256", name + process.hrtime().join()).slice(0, longer)',
  },
  {
    id: "vendors-15",
    test: prefix,
    guard: 'else if (parts.length > 0) messages.push({ role: "system", parts });',
    without: "else system.push(...parts);",
  },
  {
    id: "vendors-16",
    test: prefix,
    in: "cache-points.ts",
    guard: "let left = 2;",
    without: "let left = 1;",
  },
  {
    id: "vendors-22",
    rule: "nothing stands behind results in a turn for Gemini",
    test: "shared/calls/protocols/gemini/pitfalls › 15: results from several messages are one turn, each under the name of its call",
    guard: "return contents.flatMap(resultsAlone);",
    without: "return contents;",
  },
  {
    id: "vendors-23",
    rule: "a namespace's description is told once",
    test: "shared/calls/protocols/openai-responses/own-tools › the first of them that may be called has the description of its namespace",
    guard: "tools: withNamespaces(chosen.tools, own, tools),",
    without: "",
  },
];
