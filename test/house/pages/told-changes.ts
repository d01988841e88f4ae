/** Which changes leave a line, as `shared/people/identity/audit-lines.md` shows them. */
import {
  toldByKey,
  toldByOperator,
  toldByToken,
  toldWithoutSession,
} from "#test/shared/people/identity/told-changes.ts";
import { codes, tableOf } from "./page.ts";

/** The page below its title. */
export function toldChangesPage(): string {
  const rowsOf = (told: typeof toldByKey) =>
    Object.entries(told).map(([name, { about, tells }]) => [codes([name]), about, tells]);
  return [
    "## API keys, on the gateway",
    tableOf(["Operation", "What it changes", "What tells it"], rowsOf(toldByKey)),
    "## Without a session, on the console",
    tableOf(["Operation", "By", "What tells it"], rowsOf(toldWithoutSession)),
    "## The operator's commands",
    tableOf(
      ["Command", "What tells it"],
      Object.entries(toldByOperator).map(([name, tells]) => [codes([name]), tells]),
    ),
    "## The operators' API",
    tableOf(
      ["Operation", "What tells it"],
      Object.entries(toldByToken).map(([name, tells]) => [codes([name]), tells]),
    ),
  ].join("\n\n");
}
