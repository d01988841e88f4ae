/** The audit of projects: their records are where their handles say, and organizations tell of them what is so. */

import type { Organization } from "../../books/accounts/account.ts";
import { differences, type KeptItem } from "./kept.ts";

/** What is wrong with the records of projects, and with what organizations say of them. */
export function wrongProjects(
  organizations: readonly Pick<Organization, "id" | "projects">[],
  records: readonly KeptItem[],
): string[] {
  const handles = new Map<string, Set<string>>();
  const misplaced = records.flatMap(({ pk, sk, fields = {} }) => {
    const place = { organization: pk.slice("O#".length), project: sk.slice("P#".length) };
    const own = handles.get(place.organization) ?? new Set();
    handles.set(place.organization, own.add(place.project));
    return differences(fields, place).map((each) => `${pk} ${sk} ${each}`);
  });
  const known = new Set(organizations.map(({ id }) => id));
  const strays = [...handles.keys()].filter((id) => !known.has(id));
  const told = organizations.flatMap(({ id, projects }) => {
    const own = handles.get(id) ?? new Set();
    const { records: count, archived } = projects ?? { records: 0, archived: [] };
    const told: readonly unknown[] = Array.isArray(archived) ? archived : [];
    const isList = told.length === new Set(told).size && Array.isArray(archived);
    return [
      ...(count === own.size
        ? []
        : [`${id} has the records of ${count} projects, and ${own.size} are there`]),
      ...(isList ? [] : [`${id} has no list of archived projects, in which each stands once`]),
      ...told.flatMap((handle) =>
        own.has(String(handle)) ? [] : [`${id} has archived ${String(handle)}, which has no record`],
      ),
    ];
  });
  return [...misplaced, ...strays.map((id) => `O#${id} has projects, and is not there`), ...told];
}
