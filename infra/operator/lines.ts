/** The operator's command that looks for log lines (infra/runbooks/README.md). */
import type { LogLine } from "#shared/edges/operator/trace-log.ts";
import { operatorBounds } from "./bounds.ts";
import { type CommandGroup, command, count, flagOf, usually } from "./command.ts";

const hourMs = 3_600_000;
const [hoursUsual, mostUsual] = [24, 100];
const { logHoursMax, logLinesMax } = operatorBounds;

const lines = command({
  words: "logs",
  what: "shows the log lines of an event, of all functions, the newest last",
  more: "Events and flags are the words that an alarm's runbook names. A flag is looked for in the field flags. Lines never have what a customer wrote.",
  operands: [
    {
      name: "EVENT",
      what: "an event, such as settle_gap, or a flag of calls, such as overrun",
      missing: "give the event to look for, such as settle_gap: the runbook of each alarm names it",
    },
  ],
  flags: {
    hours: usually(
      hoursUsual,
      flagOf("N", `how far back to look; ${hoursUsual} hours if not given`, count(logHoursMax)),
    ),
    most: usually(
      mostUsual,
      flagOf("N", `how many lines to show at most; ${mostUsual} if not given`, count(logLinesMax)),
    ),
  },
  examples: {
    "call_failed --hours 1": "calls of the last hour that no provider answered",
    "overrun --json": "calls with this flag, with all fields of their lines",
  },
  async run({ operand: name, flags, place }) {
    if (!/^[a-z][a-z_]{1,60}$/.test(name))
      throw new Error(`"${name}" is no event: one is written with small letters and _`);
    const { log } = await place();
    const found = await log.linesNamed(name, Date.now() - flags.hours * hourMs);
    const newest = found.slice(-flags.most);
    const value = { found: found.length, lines: newest };
    return { value, shown: { found: found.length, lines: newest.map(rowOf) } };
  },
});

/** A line as people read it: when, what, and its fields one after the other. */
function rowOf({ at, level, event, ...fields }: LogLine): object {
  const named = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`);
  return { time: at, level, event, fields: named.join(", ") || "-" };
}

export const logLines: CommandGroup = { title: "Log lines", commands: [lines] };
