/**
 * Reads a command line with `commander`, which is told of every command of the table. What it refuses is said here in
 * one sentence, with what may have been meant.
 */
import { styleText } from "node:util";
import { Argument, type CommanderError, Option, Command as Parser } from "commander";
import { nearest } from "#shared/platform/nearest.ts";
import { type Command, type Flags, formOf, type Group } from "./command.ts";
import { commandsOf } from "./table.ts";

/** What a command line asks for. */
export interface Asked {
  command: Command;
  operands: string[];
  /** What was given for the command's own flags, not read yet. */
  given: Readonly<Record<string, string | boolean | undefined>>;
  common: Common;
}

/** Flags that every command takes: where it works, and how it answers. */
export interface Common {
  local: boolean;
  readyFile: string | undefined;
  stage: string | undefined;
  catalog: string | undefined;
  json: boolean;
  yes: boolean;
}

/** A command line that no command takes. Its message is for the operator. */
export class Refused extends Error {}

/** Help was shown, and there is nothing to run. */
export class HelpShown extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("help was shown");
    this.exitCode = exitCode;
  }
}

/** What stands before the words of a command. */
const start = "npm run -s operator --";

const commonFlags: Flags = {
  local: switchOf("works on the gateway that npm start runs"),
  "ready-file": textOf("FILE", "with --local: the ready file of that gateway, if it is not the usual one"),
  stage: textOf("NAME", "works on a deployed stage with the shell's AWS credentials; prod if not given"),
  catalog: textOf("FILE", "the catalog of that place, if it is not the one that ships"),
  json: switchOf("prints one JSON value"),
  yes: switchOf("does not ask before what cannot be undone"),
};

function switchOf(what: string) {
  return { what, read: Boolean };
}

function textOf(value: string, what: string) {
  return { value, what, read: String };
}

/**
 * Reads the words after `operator`. Throws `HelpShown` where help was asked for, or nothing at all, and `Refused` for
 * what no command takes.
 */
export function parse(words: readonly string[], groups: readonly Group[]): Asked {
  const asked: { found?: Asked } = {};
  const program = programOf(groups, words, (found) => (asked.found = found));
  program.parse(words, { from: "user" });
  if (!asked.found) throw new HelpShown(2);
  return asked.found;
}

/** The help of a command as plain text: what `--help` prints. */
export function helpOf(command: Command, groups: readonly Group[]): string {
  const program = programOf(groups, [], () => {});
  const parser = command.words
    .split(" ")
    .reduce<Parser | undefined>((at, word) => at?.commands.find((each) => each.name() === word), program);
  return parser?.helpInformation() ?? "";
}

function programOf(groups: readonly Group[], words: readonly string[], tell: (found: Asked) => void): Parser {
  const program = new Parser(start);
  const commands = commandsOf(groups);
  program
    .usage("COMMAND [flags]")
    .description(
      "Looks after organizations, keys, money, tasks and the catalog of a gateway.\nAdd --help to a command, such as org create --help, for its flags and examples.",
    )
    .configureHelp(helpForm)
    .configureOutput({ outputError: () => {} })
    .helpOption("-h, --help", "shows this text");
  for (const option of optionsOf(commonFlags)) program.addOption(option);
  const refuse = (error: CommanderError, command?: Command) => refusal(error, { command, commands, words });
  program.exitOverride((error) => refuse(error));
  for (const { title, commands: own } of groups) {
    for (const command of own) {
      const [last = "", ...before] = command.words.split(" ").reverse();
      const parent = before.reduce((at, word) => nested(at, word, title), program);
      addLeaf(parent.command(last), command, title, tell);
      parent.commands.at(-1)?.exitOverride((error) => refuse(error, command));
    }
  }
  return program;
}

/** The parser of a first word that several commands share, such as `org`. */
function nested(parent: Parser, word: string, title: string): Parser {
  const known = parent.commands.find((each) => each.name() === word);
  return known ?? parent.command(word).usage("COMMAND [flags]").helpGroup(`${title}:`);
}

function addLeaf(parser: Parser, command: Command, title: string, tell: (found: Asked) => void): void {
  const { words, what, more, operands = [], flags } = command;
  const [, ...form] = formOf(command).slice(words.length).split(" ");
  parser
    .summary(what)
    .description([sentence(what), more, asks(command)].filter(Boolean).join("\n"))
    .usage(form.join(" "))
    .helpGroup(`${title}:`)
    .addHelpText("after", examplesOf(command));
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

function commonOf(values: Record<string, string | true | undefined>): Common {
  const text = (name: string) => (typeof values[name] === "string" ? values[name] : undefined);
  return {
    local: values["local"] === true,
    readyFile: text("readyFile"),
    stage: text("stage"),
    catalog: text("catalog"),
    json: values["json"] === true,
    yes: values["yes"] === true,
  };
}

function optionsOf(flags: Flags): Option[] {
  return Object.entries(flags).map(([name, { value, what, needed }]) => {
    const written = value === undefined ? `--${name}` : `--${name} <${value}>`;
    return new Option(written, needed ? `needed: ${what}` : what);
  });
}

/** Help in the words of the manual: every command under its group, and values as their flags name them. */
const helpForm = {
  showGlobalOptions: true,
  visibleCommands: leaves,
  subcommandTerm: (parser: Parser) =>
    [...namesOf(parser), ...parser.registeredArguments.map((operand) => operand.name())].join(" "),
  optionTerm: (option: Option) => option.flags.replace(/[<>]/g, ""),
  styleTitle: (title: string) => styleText("bold", title),
};

function leaves(parser: Parser): Parser[] {
  return parser.commands.flatMap((each) => (each.commands.length > 0 ? leaves(each) : [each]));
}

/** A parser's words without what stands before them. */
function namesOf(parser: Parser): string[] {
  return parser.parent ? [...namesOf(parser.parent), parser.name()] : [];
}

function examplesOf({ words, examples }: Command): string {
  const lines = examples.map(
    (example) => `  ${start} ${`${words} ${example.words}`.trimEnd()}\n      ${example.what}`,
  );
  return `\n${styleText("bold", "Examples:")}\n${lines.join("\n")}\n`;
}

/** What the help says of a command that cannot be undone. */
function asks({ forGood }: Command): string | undefined {
  return forGood && "What it does cannot be undone: at a terminal it asks first, unless --yes is given.";
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

interface Line {
  /** The command that was found, if any. */
  command: Command | undefined;
  commands: readonly Command[];
  words: readonly string[];
}

/** Throws what is to be said of a command line that the parser gave up on. */
function refusal({ code, exitCode, message }: CommanderError, line: Line): never {
  switch (code) {
    case "commander.helpDisplayed":
    case "commander.help":
      throw new HelpShown(exitCode === 0 ? 0 : 2);
    case "commander.unknownCommand":
      throw new Refused(unknownCommand(line));
    case "commander.unknownOption":
      throw new Refused(unknownFlag(line));
    case "commander.excessArguments":
      throw new Refused(surplus(line));
    case "commander.missingArgument":
      throw new Refused(missing(line));
    case "commander.optionMissingArgument":
      throw new Refused(`${/--[a-z-]+/.exec(message)?.[0] ?? "the last flag"} needs a value`);
    default:
      throw new Refused(message);
  }
}

/** Words that are neither flags nor their values, as the table knows flags. */
function plainWords({ words, commands }: Line): string[] {
  const taking = new Set(
    [commonFlags, ...commands.map(({ flags }) => flags)].flatMap((flags) =>
      Object.entries(flags).flatMap(([name, { value }]) => (value === undefined ? [] : [`--${name}`])),
    ),
  );
  return words.filter((word, at) => !word.startsWith("-") && !taking.has(words[at - 1] ?? ""));
}

/** What to say of a command that there is not: the nearest one, else those that begin as it does. */
function unknownCommand(line: Line): string {
  const words = plainWords(line);
  const names = line.commands.map((each) => each.words);
  const said = words.slice(0, 2).join(" ");
  const [near] = [...nearest(said, names), ...nearest(words[0] ?? "", names)];
  const kin = names.filter((name) => name.split(" ")[0] === words[0]);
  const others = kin.length > 0 ? ` It has: ${kin.join(", ")}.` : "";
  const named = words.slice(0, kin.length > 0 ? 2 : 1).join(" ");
  const hint = near ? `; did you mean ${near}?` : `.${others}`;
  return `there is no command ${near ? said : named}${hint} --help lists them all.`;
}

/** What to say of a flag that no command knows, or that this one does not: another would be no narrower, as it may look. */
function unknownFlag({ command, commands, words }: Line): string {
  const before = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  const given = before.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.replace(/=.*/s, ""));
  const all = new Set(
    [commonFlags, ...commands.map(({ flags }) => flags)].flatMap((flags) => Object.keys(flags)),
  );
  const isKnown = (word: string) => word === "-h" || word === "--help" || all.has(word.slice(2));
  const unknown = given.find((word) => !isKnown(word));
  if (unknown !== undefined) {
    const [near] = nearest(unknown.replace(/^-+/, ""), all);
    return `there is no flag ${unknown}${near ? `; did you mean --${near}?` : "."} --help lists them all.`;
  }
  if (!command) return "give the flags of a command after its name; --help lists all commands.";
  const own = new Set([...Object.keys(commonFlags), ...Object.keys(command.flags)]);
  const foreign = given.filter((word) => !own.has(word.slice(2)));
  return `${command.words} takes no ${foreign.join(", no ")}`;
}

function surplus(line: Line): string {
  const { command } = line;
  if (!command) return "there are words too many; --help lists all commands.";
  const taken = command.words.split(" ").length + (command.operands ?? []).length;
  const over = plainWords(line).slice(taken);
  return `${command.words} takes no ${over.join(" ")}; its form is: ${formOf(command)}`;
}

/** The first operand that is not there. */
function missing(line: Line): string {
  const { command } = line;
  const given = plainWords(line).length - (command?.words.split(" ").length ?? 0);
  return command?.operands?.[given]?.missing ?? "a word is missing";
}
