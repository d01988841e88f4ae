/** The way of a call to a semantic hit: who decides, what is never served, and what nobody pays for. */
import type { Row } from "#test/guards/guard.ts";

export const semantic: Row[] = [
  {
    id: "semantic-1",
    test: "shared/calls/gateway/semantic › a judge that %s",
    guard: "if (said === undefined) return undefined;",
    without: 'if (said === undefined) return "judge";',
  },
  {
    id: "semantic-2",
    test: "shared/calls/gateway/semantic › is asked anew where the judge writes %j",
    guard: 'const isSame = verdictOf(said) === "same";',
    without: 'const isSame = verdictOf(said) !== "different";',
  },
  {
    id: "semantic-3",
    test: "shared/calls/gateway/semantic › that a rule refuses meets no judge, however near its vector is",
    guard: "refusalOf(sought.text, kept.question) === undefined",
    without: "kept !== undefined",
  },
  {
    id: "semantic-4",
    test: "shared/calls/gateway/semantic › nothing is embedded in a context that is off, and nothing is taught",
    guard: "if (!context || isOff(context.evidence, deps.now())) return undefined;",
    without: "if (!context) return undefined;",
  },
  {
    id: "semantic-5",
    test: "shared/calls/gateway/semantic-aliases › asks a provider although the judge agrees, and has the learner compare the answers",
    guard: "if (isAudited(sought.request)) {",
    without: "if (isAudited(sought.request) && !similar) {",
  },
  {
    id: "semantic-6",
    test: "shared/calls/gateway/semantic-aliases › is nothing once its entry is another one",
    guard: "if (!entry || entry.origin !== origin || ",
    without: "if (!entry || ",
  },
  {
    id: "semantic-7",
    test: "shared/calls/gateway/semantic-aliases › is no answer for a call that wishes %s",
    guard: "if (!question.semantic) return undefined;",
    without: "",
  },
  {
    id: "semantic-8",
    test: "shared/calls/gateway/semantic-aliases › half of a surrogate pair has no semantic level",
    guard: ' && wish === "semantic" && text.isWellFormed();',
    without: ' && wish === "semantic";',
  },
  {
    id: "semantic-9",
    test: "shared/calls/gateway/semantic › an embedder that %s",
    guard: "      abort.abort();\n",
    without: "",
  },
  {
    id: "semantic-10",
    test: "shared/calls/gateway/semantic › a question that the %s repeats, and nobody logs",
    guard: 'throw new Error("a reply that cannot be read");',
    without: "return read();",
    in: "shared/calls/cache/semantic/models.ts",
  },
  {
    id: "semantic-11",
    test: "shared/calls/gateway/semantic-aliases › takes the place of no answer to its own question, where a call wants a younger one",
    guard: "if (served && !fresh && !sought.isKept()) works",
    without: "if (served && !fresh) works",
  },
];
