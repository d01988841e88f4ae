/** What the scripted provider says in each play. Pure: a line follows from the request's body alone. */
import type { Json, Said } from "#test/support/vendor-answers.ts";
import { type Failure, failures } from "./failures.ts";

/** What is said in answer to one request. */
export interface Line {
  /** The folder of the session, if the request names one. */
  folder: string | undefined;
  texts: readonly string[];
  call?: NonNullable<Said["call"]>;
  /** How long the stream is silent after its first text. */
  silenceMs?: number;
  /** The pause after each later frame. */
  frameMs?: number;
  /** What the provider says instead of an answer, at the path of its protocol. */
  failure?: (path: string) => Failure;
}

/** What the last turn of a play says; a run looks for it in what the program prints. */
export const lastWords = "The play is over.";

/** What every written file holds. */
const written = "written by the play";

/** The prompt of a play: the request names it and the folder where files are written. */
export function promptOf(play: string, folder: string): string {
  return `Do the next step (play: ${play} in ${folder}).`;
}

/** The name of the file that the step of a play writes. */
export const fileOf = (step: number) => `step-${step}.txt`;

/** How many tools a play calls before its last words. */
const steps: Record<string, number> = {
  "two-turns": 1,
  "sixty-tools": 2,
  picture: 1,
  long: 1,
  "ten-turns": 9,
};

/** A tool as a request offers it. */
interface Offered {
  name: string;
  namespace?: string;
  /** It takes any text in place of arguments. */
  isText?: boolean;
}

/** A program's tool that does something, by the end of its name, since programs and crossings put more before it. */
interface Doer {
  tool: RegExp;
  does(folder: string, file: string): Json | string;
}

/** A patch as opencode takes it for the models of OpenAI. */
const patchOf = (file: string) => `*** Begin Patch\n*** Add File: ${file}\n+${written}\n*** End Patch`;

/** A program that Codex runs. */
const programOf = (given: Json, tool: string) =>
  `const result = await tools.${tool}(${JSON.stringify(given)});\ntext(JSON.stringify(result));\n`;

const shell = (folder: string, file: string) => `printf '${written}' > '${folder}/${file}'`;

/** The tools that write a file, in the order in which they are tried. */
const writers: readonly Doer[] = [
  { tool: /^Write$/, does: (folder, file) => ({ file_path: `${folder}/${file}`, content: written }) },
  { tool: /^write_file$/, does: (folder, file) => ({ file_path: `${folder}/${file}`, content: written }) },
  { tool: /^write$/, does: (folder, file) => ({ filePath: `${folder}/${file}`, content: written }) },
  { tool: /^exec_command$/, does: (folder, file) => ({ cmd: shell(folder, file) }) },
  // A program in JavaScript: a text to Responses, and a function with one text where it crossed.
  { tool: /(?:^|__)exec$/, does: (folder, file) => programOf({ cmd: shell(folder, file) }, "exec_command") },
  { tool: /^apply_patch$/, does: (_, file) => ({ patchText: patchOf(file) }) },
  { tool: /^shell_command$/, does: (folder, file) => ({ command: shell(folder, file) }) },
];

/** The tools that look at a picture. */
const lookers: readonly Doer[] = [
  { tool: /^view_image$/, does: (folder) => ({ path: `${folder}/picture.png` }) },
  { tool: /^Read$/, does: (folder) => ({ file_path: `${folder}/picture.png` }) },
  { tool: /^read_file$/, does: (folder) => ({ file_path: `${folder}/picture.png` }) },
  { tool: /^read$/, does: (folder) => ({ filePath: `${folder}/picture.png` }) },
];

/** The one of sixty tools of the MCP server that is called. Claude Code shows it after a search. */
const oneOfMany: readonly Doer[] = [
  { tool: /tool_37$/, does: (folder, file) => ({ path: `${folder}/${file}`, content: written }) },
  {
    tool: /(?:^|__)exec$/,
    does: (folder, file) => programOf({ path: `${folder}/${file}`, content: written }, "mcp__many__tool_37"),
  },
  { tool: /^ToolSearch$/, does: () => ({ query: "select:mcp__many__tool_37", max_results: 1 }) },
];

const doers: Record<string, readonly Doer[]> = { "sixty-tools": oneOfMany, picture: lookers };

/** The tools of a request, in any of the four protocols. */
function offeredIn(body: Json): Offered[] {
  const added = listOf(body.input).flatMap(({ type, tools }) =>
    type === "additional_tools" ? listOf(tools) : [],
  );
  return [...listOf(body.tools), ...added].flatMap((tool): Offered[] => {
    const own = tool.function ?? tool;
    const declared = listOf(tool.functionDeclarations ?? tool.function_declarations);
    if (declared.length > 0) return declared.map(({ name }) => ({ name: String(name) }));
    if (tool.type === "namespace") {
      return listOf(tool.tools).map(({ name, type }) => {
        return { name: String(name), namespace: String(tool.name), isText: type === "custom" };
      });
    }
    return [{ name: String((own as Json).name), isText: tool.type === "custom" }];
  });
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}

/** How many results of tools a conversation has, in any of the four protocols. */
function resultsIn(text: string): number {
  return (
    text.match(
      /"role":"tool"|"type":"tool_result"|"functionResponse":|"type":"(?:function|custom_tool)_call_output"/g,
    )?.length ?? 0
  );
}

/** The line of a request. What names no play, or has no tool of it, gets a few words: programs ask for titles, too. */
export function lineFor(body: Json): Line {
  const text = JSON.stringify(body);
  const found = /\(play: ([a-z-]+) in ([^\s)"\\]+)\)/.exec(text);
  const [, play = "", folder = ""] = found ?? [];
  if (!found) return { folder: undefined, texts: ["A title", " for it"] };
  const failure = failures[play];
  if (failure) return { folder, texts: [lastWords], failure };
  const offered = offeredIn(body);
  const step = resultsIn(text);
  if (step < (steps[play] ?? 0)) {
    const call = callOf(doers[play] ?? writers, offered, folder, fileOf(step + 1));
    if (call) return { folder, texts: [`Step ${step + 1}`, " of the play."], call };
    if (play === "picture") return { folder, texts: ["A picture. ", lastWords] };
  }
  const edit = offered.length === 0 ? editOf(play) : "";
  if (play === "silence") return { folder, texts: ["Wait. ", lastWords], silenceMs: 90_000 };
  if (play === "cancelled") {
    return { folder, texts: Array.from({ length: 60 }, (_, at) => `Word ${at}. `), frameMs: 250 };
  }
  return { folder, texts: ["Done. ", edit, lastWords].filter((words) => words !== "") };
}

function callOf(tools: readonly Doer[], offered: Offered[], folder: string, file: string): Line["call"] {
  for (const { tool, does } of tools) {
    const own = offered.find(({ name }) => tool.test(name));
    if (!own) continue;
    const given = does(folder, file);
    if (typeof given !== "string") return { ...own, arguments: JSON.stringify(given) };
    return { ...own, arguments: own.isText ? given : JSON.stringify({ input: given }) };
  }
  return undefined;
}

/** aider has no tools: it reads blocks in the text. */
function editOf(play: string): string {
  if (play !== "two-turns" && play !== "long") return "";
  return `\n\n${fileOf(1)}\n\`\`\`\n<<<<<<< SEARCH\n=======\n${written}\n>>>>>>> REPLACE\n\`\`\`\n\n`;
}
