/** Reads a command line with `commander`. What it refuses is said in one sentence, with what may have been meant. */
import { styleText } from "node:util";
import { Argument, type CommanderError, Option, Command as Parser } from "commander";
import { type Command, type CommandGroup, type Flags, formOf } from "./command.ts";
import { commonFlags, HelpShown, refusal } from "./refusals.ts";
import { commandsOf } from "./table.ts";

/** What a command line asks for. */
export interface CommandLine {
  command: Command;
  operands: string[];
  /** What was given for the command's own flags, not read yet. */
  given: Readonly<Record<string, string | boolean | undefined>>;
  common: CommonFlags;
}

/** Flags that every command takes: where it works, and how it answers. */
export interface CommonFlags {
  local: boolean;
  readyFile: string | undefined;
  stage: string | undefined;
  catalog: string | undefined;
  json: boolean;
  yes: boolean;
}

/** Where help goes: what was asked for to the first, what was not to the second. */
export type HelpStreams = Record<"stdout" | "stderr", NodeJS.WriteStream>;

/** What stands before the words of a command. */
const start = "npm run -s operator --";

/**
 * Reads the words after `operator`. Throws `HelpShown` where help was asked for or no word given, and `CommandRefused`.
 */
export function parse(
  words: readonly string[],
  groups: readonly CommandGroup[],
  streams: HelpStreams,
): CommandLine {
  const asked: { found?: CommandLine } = {};
  const program = programOf({ groups, words, streams }, (found) => (asked.found = found));
  program.parse(words, { from: "user" });
  if (!asked.found) throw new HelpShown(2);
  return asked.found;
}

interface Reading {
  groups: readonly CommandGroup[];
  words: readonly string[];
  streams: HelpStreams;
}

function programOf({ groups, words, streams }: Reading, tell: (found: CommandLine) => void): Parser {
  const program = new Parser(start);
  const commands = commandsOf(groups);
  program
    .description(
      "Looks after organizations, keys, money, tasks and the catalog of a gateway.\nAdd --help to a command, such as org create --help, for its flags and examples.",
    )
    .configureHelp(helpForm(commands, streams))
    .configureOutput(outputTo(streams))
    .helpOption("-h, --help", "shows this text");
  for (const option of optionsOf(commonFlags)) program.addOption(option);
  const refuse = (error: CommanderError, command?: Command) => refusal(error, { command, commands, words });
  program.exitOverride((error) => refuse(error));
  for (const { title, commands: own } of groups) {
    for (const command of own) {
      const [last = "", ...before] = command.words.split(" ").reverse();
      const parent = before.reduce((at, word) => nested(at, word, title), program);
      addLeaf(parent.command(last), command, title, { streams, tell });
      parent.commands.at(-1)?.exitOverride((error) => refuse(error, command));
    }
  }
  return program;
}

/** The parser of a first word that several commands share, such as `org`. */
function nested(parent: Parser, word: string, title: string): Parser {
  const known = parent.commands.find((each) => each.name() === word);
  return known ?? parent.command(word).helpGroup(`${title}:`);
}

function addLeaf(
  parser: Parser,
  command: Command,
  title: string,
  { streams, tell }: { streams: HelpStreams; tell: (found: CommandLine) => void },
): void {
  const { what, more, operands = [], flags } = command;
  parser
    .summary(what)
    .description([sentence(what), more, asks(command)].filter(Boolean).join("\n"))
    .helpGroup(`${title}:`)
    .addHelpText("after", examplesOf(command, streams));
  for (const { name, what: meaning } of operands) parser.addArgument(new Argument(`<${name}>`, meaning));
  const options = optionsOf(flags);
  for (const option of options) parser.addOption(option);
  parser.action(() => {
    const values = parser.optsWithGlobals<Record<string, string | true | undefined>>();
    const given = options.map((option) => [option.name(), values[option.attributeName()]] as const);
    tell({
      command,
      operands: parser.args,
      given: Object.fromEntries(given),
      common: commonOf(values),
    });
  });
}

function commonOf(values: Record<string, string | true | undefined>): CommonFlags {
  const text = (name: string) => (typeof values[name] === "string" ? values[name] : undefined);
  return {
    local: values.local === true,
    readyFile: text("readyFile"),
    stage: text("stage"),
    catalog: text("catalog"),
    json: values.json === true,
    yes: values.yes === true,
  };
}

function optionsOf(flags: Flags): Option[] {
  return Object.entries(flags).map(([name, { value, what, needed }]) => {
    const written = value === undefined ? `--${name}` : `--${name} <${value}>`;
    return new Option(written, needed ? `needed: ${what}` : what);
  });
}

/** Help in the words of the manual: every command under its group, and values as their flags name them. */
const helpForm = (commands: readonly Command[], { stdout }: HelpStreams) => ({
  showGlobalOptions: true,
  commandUsage(parser: Parser) {
    const words = namesOf(parser).join(" ");
    const command = commands.find((each) => each.words === words);
    return `${start} ${command ? formOf(command) : `${words} COMMAND [flags]`.trimStart()}`;
  },
  visibleCommands: leaves,
  subcommandTerm: (parser: Parser) =>
    [...namesOf(parser), ...parser.registeredArguments.map((operand) => operand.name())].join(" "),
  optionTerm: (option: Option) => option.flags.replace(/[<>]/g, ""),
  styleTitle: (title: string) => styleText("bold", title, { stream: stdout }),
});

/** The parser writes help where we say, and nothing of an error: `refusal` says that. */
const outputTo = ({ stdout, stderr }: HelpStreams) => ({
  writeOut: (text: string) => void stdout.write(text),
  writeErr: (text: string) => void stderr.write(text),
  getOutHelpWidth: () => stdout.columns ?? helpWidth,
  getErrHelpWidth: () => stderr.columns ?? helpWidth,
  // What is bold is so already only where the stream shows it.
  getOutHasColors: () => true,
  getErrHasColors: () => true,
  outputError: () => {},
});

/** How wide help is where no terminal says it. */
const helpWidth = 110;

function leaves(parser: Parser): Parser[] {
  return parser.commands.flatMap((each) => (each.commands.length > 0 ? leaves(each) : [each]));
}

/** A parser's words without what stands before them. */
function namesOf(parser: Parser): string[] {
  return parser.parent ? [...namesOf(parser.parent), parser.name()] : [];
}

function examplesOf({ words, examples }: Command, { stdout }: HelpStreams): string {
  const lines = Object.entries(examples).map(
    ([more, what]) => `  ${start} ${`${words} ${more}`.trimEnd()}\n      ${what}`,
  );
  return `\n${styleText("bold", "Examples:", { stream: stdout })}\n${lines.join("\n")}\n`;
}

/** What the help says of a command that cannot be undone. */
function asks({ forGood }: Command): string | undefined {
  return forGood && "What it does cannot be undone: at a terminal it asks first, unless --yes is given.";
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
