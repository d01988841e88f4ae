/** Which project a key belongs to: one of those that are not archived, or the one that it has. */
import { withQuery } from "../../../api.ts";
import type { List, Project } from "../../../api-types.ts";
import { useLoad } from "../../../load.ts";
import { Select } from "../../../parts/field.tsx";
import { api } from "../../../session.ts";

type Words = typeof import("./en.ts").words;

interface ProjectSelectProps {
  words: Words;
  /** The handle; empty for none. */
  value: string;
  onValue: (handle: string) => void;
}

export function ProjectSelect({ words, value, onValue }: ProjectSelectProps) {
  const { value: projects = [] } = useLoad(({ signal }) => everyProject(signal), "projects");
  const active = projects.filter(({ id, status }) => status === "active" || id === value);
  const missing = value && !active.some(({ id }) => id === value) ? [[value, value] as const] : [];
  const named = active.map(({ id, name }) => [id, name === id ? id : `${name} (${id})`] as const);
  return (
    <Select
      label={words.project}
      hint={words.projectHint}
      value={value}
      options={[["", words.noProject] as const, ...missing, ...named]}
      onValue={onValue}
    />
  );
}

async function everyProject(signal: AbortSignal): Promise<Project[]> {
  const all: Project[] = [];
  for (let after: string | null = null; ; ) {
    const path = withQuery("/api/v1/projects", { after: after ?? undefined });
    const page: List<Project> = await api.get<"list_projects">(path, { signal });
    all.push(...page.data);
    if (!page.has_more) return all;
    after = page.last_id;
  }
}
