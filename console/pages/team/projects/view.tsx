/** Projects: their keys, budgets, members and usage, making one, and archiving one. */
import { useState } from "preact/hooks";
import { withQuery } from "../../../api.ts";
import type { Project, UsageSeries } from "../../../api-types.ts";
import { count, points } from "../../../format.ts";
import { useLoad, useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Empty } from "../../../parts/note.tsx";
import { Paged } from "../../../parts/paged.tsx";
import { Points } from "../../../parts/points.tsx";
import { pageTitle, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { api, may } from "../../../session.ts";
import { page as usagePage } from "../../daily/usage/page.ts";
import { ProjectForm, pathOf } from "./project-form.tsx";

type Words = typeof import("./en.ts").words;

type OpenDialog = { what: "form"; project?: Project } | { what: "status"; project: Project };

export function Page({ words }: PageProps<Words>) {
  const projects = useRead<"list_projects">("/api/v1/projects");
  const month = useLoad(
    (asked) =>
      api.get<"show_usage_series">(
        withQuery("/api/v1/usage/series", { period: "month", by: "project", step: "month" }),
        asked,
      ),
    "month",
  );
  const [asked, setAsked] = useState<OpenDialog>();
  const close = () => setAsked(undefined);
  const isManaged = may("manage_all_keys");
  const create = isManaged && (
    <Button look="main" icon="plus" onPress={() => setAsked({ what: "form" })}>
      {words.create}
    </Button>
  );
  return (
    <Sheet
      lead={words.lead}
      actions={
        <>
          <ButtonLink look="quiet" href={`${usagePage.path}?by=project`}>
            {words.usage}
          </ButtonLink>
          {create}
        </>
      }
    >
      <Paged of={projects} path="/api/v1/projects">
        {(all) =>
          all.length === 0 ? (
            <Empty title={words.noProjects} action={create}>
              {words.noProjectsLead}
            </Empty>
          ) : (
            <Rows {...{ words, isManaged }} projects={all} month={month.value} onAsk={setAsked} />
          )
        }
      </Paged>
      {asked?.what === "form" && (
        <ProjectForm words={words} project={asked.project} onClose={close} onDone={projects.reload} />
      )}
      {asked?.what === "status" && (
        <ChangeStatus words={words} project={asked.project} onClose={close} onDone={projects.reload} />
      )}
    </Sheet>
  );
}

interface RowsProps {
  words: Words;
  projects: Project[];
  /** Undefined until it is read. The projects are shown without it. */
  month: UsageSeries | undefined;
  isManaged: boolean;
  onAsk: (asked: OpenDialog) => void;
}

function Rows({ words, projects, month, isManaged, onAsk }: RowsProps) {
  return (
    <Table
      caption={pageTitle()}
      rows={projects}
      keyOf={({ id }) => id}
      isOff={({ status }) => status === "archived"}
      columns={[
        [
          words.name,
          ({ id, name, status }) => (
            <>
              {name} {status === "archived" && <Badge look="warn">{words.archived}</Badge>}
              <br />
              <code class="faint">{id}</code>
            </>
          ),
        ],
        [words.members, (project) => membersText(words, project), "wide"],
        [words.keys, ({ keys_in_use }) => count(keys_in_use), "wide"],
        [words.budget, (project) => <Budget words={words} project={project} />, "wide"],
        [words.spent, ({ id }) => <Spent month={month} id={id} />],
        ...(isManaged
          ? ([[words.change, (project: Project) => <Acts {...{ words, project, onAsk }} />, "acts"]] as const)
          : []),
      ]}
    />
  );
}

function membersText(words: Words, { members }: Project): string {
  if (members === null) return words.everyone;
  return members.map(({ id, name }) => name || id).join(", ") || words.nobody;
}

function Budget({ words, project: { budget } }: { words: Words; project: Project }) {
  if (!budget) return <span class="faint">{words.noBudget}</span>;
  return (
    <>
      {words.ofBudget(points(budget.budget_points), words.periods[budget.budget_period])}
      {budget.used.map(({ billing_mode, left_points }) => (
        <div key={billing_mode} class="faint">
          {words.left(points(left_points))}
        </div>
      ))}
    </>
  );
}

function Spent({ month, id }: Pick<RowsProps, "month"> & { id: string }) {
  if (!month) return "–";
  return <Points of={month.series.find(({ name }) => name === id)?.totals.cost_points ?? "0"} />;
}

function Acts({ words, project, onAsk }: Pick<RowsProps, "words" | "onAsk"> & { project: Project }) {
  const { name, status } = project;
  const [text, label] =
    status === "archived" ? [words.restore, words.restoreOf(name)] : [words.archive, words.archiveOf(name)];
  return (
    <div class="row end">
      <Button isSmall label={words.changeOf(name)} onPress={() => onAsk({ what: "form", project })}>
        {words.change}
      </Button>
      <Button isSmall label={label} onPress={() => onAsk({ what: "status", project })}>
        {text}
      </Button>
    </div>
  );
}

interface StatusProps {
  words: Words;
  project: Project;
  onClose: () => void;
  onDone: () => void;
}

function ChangeStatus({ words, project, onClose, onDone }: StatusProps) {
  const { name, status } = project;
  const isArchived = status === "archived";
  return (
    <Confirm
      title={isArchived ? words.restoreOf(name) : words.archiveOf(name)}
      action={isArchived ? words.restore : words.archive}
      onClose={onClose}
      act={async () => {
        await api.patch<"change_project">(pathOf(project), { status: isArchived ? "active" : "archived" });
        onDone();
      }}
    >
      {isArchived ? words.restoreLead : words.archiveLead}
    </Confirm>
  );
}
