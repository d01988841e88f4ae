/** What is said of a command line that no command takes: one sentence, with what may have been meant. */
import type { CommanderError } from "commander";
import { nearest } from "#shared/base/platform/nearest.ts";
import { type Command, type Flags, formOf } from "./command.ts";

/** A command line that no command takes. Its message is for the operator. */
export class CommandRefused extends Error {
  /** It has a command or a flag that these groups do not have. */
  readonly isUnknown: boolean;

  constructor(message: string, isUnknown = false) {
    super(message);
    this.isUnknown = isUnknown;
  }
}

/** Help was shown, and there is nothing to run. */
export class HelpShown extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("help was shown");
    this.exitCode = exitCode;
  }
}

/** Flags that every command takes: where it works, and how it answers. */
export const commonFlags: Flags = {
  local: switchOf("works on the gateway that npm start runs"),
  "ready-file": textOf("FILE", "with --local: the ready file of that gateway, if it is not the usual one"),
  stage: textOf("NAME", "works on a deployed stage with the shell's AWS credentials; prod if not given"),
  catalog: textOf("FILE", "the catalog of that place, if it is not that of the stage's file"),
  json: switchOf("prints one JSON value"),
  yes: switchOf("does not ask before what cannot be undone"),
};

function switchOf(what: string) {
  return { what, read: Boolean };
}

function textOf(value: string, what: string) {
  return { value, what, read: String };
}

/** The command line, as far as it was read. */
interface Line {
  /** The command that was found, if any. */
  command: Command | undefined;
  commands: readonly Command[];
  words: readonly string[];
}

/** Throws what is to be said of a command line that the parser gave up on. */
export function refusal({ code, exitCode, message }: CommanderError, line: Line): never {
  switch (code) {
    case "commander.helpDisplayed":
    case "commander.help":
      throw new HelpShown(exitCode === 0 ? 0 : 2);
    case "commander.unknownCommand":
      throw new CommandRefused(unknownCommand(line), true);
    case "commander.unknownOption":
      throw new CommandRefused(unknownFlag(line), true);
    case "commander.excessArguments":
      throw new CommandRefused(surplus(line));
    case "commander.missingArgument":
      throw new CommandRefused(missing(line));
    case "commander.optionMissingArgument":
      throw new CommandRefused(`${/--[a-z-]+/.exec(message)?.[0] ?? "the last flag"} needs a value`);
    default:
      throw new CommandRefused(message);
  }
}

/** The flags of these commands, with those that every command takes. */
function flagsOf(commands: readonly Command[]) {
  return [commonFlags, ...commands.map(({ flags }) => flags)].flatMap((flags) => Object.entries(flags));
}

/** Words that are neither flags nor their values, as the table knows flags. */
function plainWords({ words, commands }: Line): string[] {
  const taking = new Set(
    flagsOf(commands).flatMap(([name, { value }]) => (value === undefined ? [] : [`--${name}`])),
  );
  return words.filter((word, at) => !word.startsWith("-") && !taking.has(words[at - 1] ?? ""));
}

/** Throws where help is asked for of a command that there is not: the parser would show all help, as if it were known. */
export function refuseUnknown(words: readonly string[], commands: readonly Command[]): void {
  if (!words.includes("--help") && !words.includes("-h")) return;
  const line = { command: undefined, commands, words };
  const [first, second] = plainWords(line);
  if (first === undefined) return;
  const kin = commands.filter((each) => each.words.split(" ")[0] === first).map((each) => each.words);
  const isKnown = kin.includes(first) || (kin.length > 0 && second === undefined);
  if (!isKnown && !kin.includes(`${first} ${second}`)) throw new CommandRefused(unknownCommand(line), true);
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

/** What to say of an unknown flag: one that was ignored would let the command do more than it seems to. */
function unknownFlag({ command, commands, words }: Line): string {
  const before = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  const given = before.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.replace(/=.*/s, ""));
  const all = new Set(flagsOf(commands).map(([name]) => name));
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
