/** The operator's command that restores a stage's tables to an instant. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pause } from "#shared/base/platform/pause.ts";
import { type Redo, redos } from "#shared/edges/restore/redo.ts";
import type { KeptTables } from "../stage/given-tables.ts";
import { stackName } from "../stage/outputs.ts";
import { type CommandGroup, command, flag, flagOf, needed, oneOf, onOff } from "./command.ts";
import type { StackConnection } from "./connection.ts";
import { reportOf, shownReport } from "./restore-report.ts";
import { restoreStage } from "./restore-stage.ts";
import { planRestore, type RestorePlan, stepsOf, told } from "./restore-tables.ts";
import { moment } from "./stores.ts";

const restore = command({
  words: "restore",
  what: "restores the five tables that are kept to one instant, under new names, and says what is lost",
  more: "The stage goes on with the tables that it has. Deploy it with the new names to change over; infra/operator/restore.md says how. The same command with the same instant goes on where it stopped. It exits with 1 if the audit fails, or if a key or a right is valid again that was taken after the instant.",
  flags: {
    at: needed(
      flagOf("RFC3339|latest", "the instant, or latest for the latest one that is possible", instantOf),
    ),
    suffix: flag("TEXT", "the end of the new tables' names; the instant if not given"),
    redo: flagOf("LIST", `what to do again in the restored tables, of ${redos.join(",")}`, redosOf),
    write: onOff("writes the new names into the stage's file"),
    "dry-run": onOff("says what would be done, and changes nothing"),
  },
  only: "stage",
  examples: {
    "--at 2026-11-23T04:30:00Z --dry-run": "what it would do",
    "--at latest --suffix drill": "a drill: nothing of the stage changes",
    "--at 2026-11-23T04:30:00Z --redo revocations,credits,orders,calls --write":
      "a loss: keys that were revoked stay so; what was paid, and calls of which everything is known, are booked again",
  },
  forGood: ({ flags: { redo } }) =>
    redo === undefined
      ? undefined
      : `In the restored tables it is done again: ${[...redo].join(", ")}. Entries stay, and a revoked key is never valid again.`,
  async run({ flags, place, progress }) {
    const connection = await place();
    const { stage, control } = deployedOf(connection);
    const { suffix } = flags;
    const nameOf = (table: string, instant: number) =>
      `${stackName(stage)}-${table}-${suffix ?? told(instant).replaceAll(/[-:]/g, "")}`;
    const written = flags.write ? fileOf(stage) : undefined;
    const plan = await planRestore({ sources: connection.tables, ...flags.at, nameOf }, control);
    if (flags["dry-run"]) return { value: dryRun(plan) };
    const { log, ...places } = connection;
    const deps = { ...{ control, log, places, progress, pause }, aws: connection.aws, now: Date.now };
    const restored = await restoreStage(plan, flags.redo ?? new Set(), deps);
    if (written) writeTables(written.file, restored.tables);
    const report = reportOf(restored, written?.path);
    return { value: report, shown: shownReport(report), ok: report.ok };
  },
});

/** An instant, or undefined for the latest one that is possible. */
function instantOf(text: string, name: string): { at: number | undefined } {
  return { at: text === "latest" ? undefined : moment(text, name) };
}

function redosOf(text: string, name: string): ReadonlySet<Redo> {
  return new Set(text.split(",").map((word) => oneOf(word.trim(), name, redos)));
}

function deployedOf({ deployed }: StackConnection): NonNullable<StackConnection["deployed"]> {
  if (!deployed) throw new Error("restore works on a deployed stage, and not with --local");
  return deployed;
}

function dryRun(plan: RestorePlan): object {
  const { instant, window, tables } = plan;
  return {
    instant: told(instant),
    earliest: told(window.earliest),
    latest: told(window.latest),
    tables: tables.map(({ source, target, found }) => ({
      from: source,
      to: target,
      found: found === "nothing" ? "will be made" : "is there, and is used",
    })),
    steps: stepsOf(plan),
  };
}

/** A stage's file, by its path from the root and on this machine. Throws where there is none, before anything is done. */
function fileOf(stage: string): { path: string; file: string } {
  const path = `infra/stages/${stage}.json`;
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`there is no file ${path} to write into: leave --write out`);
  return { path, file };
}

/** Sets the member `tables` of a stage's file, and leaves the others as they are. */
function writeTables(file: string, tables: KeptTables): void {
  const settings = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, `${JSON.stringify({ ...settings, tables }, null, 2)}\n`);
}

export const restores: CommandGroup = { title: "Recovery", commands: [restore] };
