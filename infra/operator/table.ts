/** All commands of the operator. A group is loaded when one of its commands is named, so that each starts quickly. */
import type { Command, CommandGroup } from "./command.ts";

type Load = () => Promise<CommandGroup>;

const organizations: Load = async () => (await import("./organizations.ts")).organizations;
const users: Load = async () => (await import("./users.ts")).users;
const orders: Load = async () => (await import("./orders.ts")).orders;
const invoices: Load = async () => (await import("./invoices.ts")).invoices;
const keys: Load = async () => (await import("./keys.ts")).keys;
const givenIds: Load = async () => (await import("./given-ids.ts")).givenIds;
const books: Load = async () => (await import("./books.ts")).books;
const traces: Load = async () => (await import("./trace.ts")).traces;
const restores: Load = async () => (await import("./restore.ts")).restores;
const logLines: Load = async () => (await import("./lines.ts")).logLines;
const tasks: Load = async () => (await import("./tasks.ts")).tasks;
const secrets: Load = async () => (await import("./secrets.ts")).secrets;
const accountsSecrets: Load = async () => (await import("./accounts-secret.ts")).accountsSecrets;
const messages: Load = async () => (await import("./sms.ts")).messages;
const catalogs: Load = async () => (await import("./catalog.ts")).catalogs;
const models: Load = async () => (await import("./models.ts")).models;
const healths: Load = async () => (await import("./doctor.ts")).doctors;
const costs: Load = async () => (await import("./cost.ts")).costs;

/** Where the commands are that begin with a word. */
const groupOf: Readonly<Record<string, Load>> = {
  doctor: healths,
  org: organizations,
  user: users,
  order: orders,
  invoice: invoices,
  key: keys,
  id: givenIds,
  trace: traces,
  logs: logLines,
  audit: books,
  ledger: books,
  holds: books,
  sweep: books,
  seal: books,
  redrive: books,
  restore: restores,
  task: tasks,
  pepper: secrets,
  secret: secrets,
  accounts: accountsSecrets,
  sms: messages,
  catalog: catalogs,
  model: models,
  cost: costs,
};

/** Every group, in the order of help and manual. */
export async function allGroups(): Promise<CommandGroup[]> {
  return await Promise.all([...new Set(Object.values(groupOf))].map((load) => load()));
}

/** The groups that a command line may need: the one whose command it names, else all. */
export async function groupsFor(words: readonly string[]): Promise<CommandGroup[]> {
  const [first] = words.filter((word) => Object.hasOwn(groupOf, word));
  const load = first === undefined ? undefined : groupOf[first];
  return load ? [await load()] : await allGroups();
}

/** The commands of groups, in their order. */
export function commandsOf(groups: readonly CommandGroup[]): Command[] {
  return groups.flatMap(({ commands }) => commands);
}
