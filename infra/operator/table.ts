/** All commands of the operator. A group is loaded when one of its commands is named, so that each starts quickly. */
import type { Command, CommandGroup } from "./command.ts";

type Load = () => Promise<CommandGroup>;

/** The groups in the order of help and manual, each behind the words that its commands begin with. */
const groups: readonly [words: string, load: Load][] = [
  ["doctor", async () => (await import("./doctor.ts")).doctors],
  ["org", async () => (await import("./organizations.ts")).organizations],
  ["user", async () => (await import("./users.ts")).users],
  ["order", async () => (await import("./orders.ts")).orders],
  ["invoice", async () => (await import("./invoices.ts")).invoices],
  ["key", async () => (await import("./keys.ts")).keys],
  ["project", async () => (await import("./projects.ts")).projects],
  ["id", async () => (await import("./given-ids.ts")).givenIds],
  ["trace", async () => (await import("./trace.ts")).traces],
  ["logs", async () => (await import("./lines.ts")).logLines],
  ["audit ledger forecast margin holds sweep seal redrive", async () => (await import("./books.ts")).books],
  ["restore", async () => (await import("./restore.ts")).restores],
  ["task", async () => (await import("./tasks.ts")).tasks],
  ["pepper secret", async () => (await import("./secrets.ts")).secrets],
  ["accounts", async () => (await import("./accounts-secret.ts")).accountsSecrets],
  ["sms", async () => (await import("./sms.ts")).messages],
  ["catalog", async () => (await import("./catalog.ts")).catalogs],
  ["model", async () => (await import("./models.ts")).models],
  ["bills", async () => (await import("./bills.ts")).bills],
  ["month", async () => (await import("./month.ts")).months],
  ["token", async () => (await import("./admin-tokens.ts")).adminTokens],
  ["channel", async () => (await import("./channels.ts")).channels],
  ["cost", async () => (await import("./cost.ts")).costs],
];

/** What loads the group whose commands begin with a word. */
const loadOf = new Map(
  groups.flatMap(([words, load]) => words.split(" ").map((word) => [word, load] as const)),
);

/** Every group, in the order of help and manual. */
export async function allGroups(): Promise<CommandGroup[]> {
  return await Promise.all(groups.map(([, load]) => load()));
}

/** The groups that a command line may need: the one whose command it names, else all. */
export async function groupsFor(words: readonly string[]): Promise<CommandGroup[]> {
  const load = loadOf.get(words.find((word) => loadOf.has(word)) ?? "");
  return load ? [await load()] : await allGroups();
}

/** The commands of groups, in their order. */
export function commandsOf(groups: readonly CommandGroup[]): Command[] {
  return groups.flatMap(({ commands }) => commands);
}
