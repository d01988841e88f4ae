/** Who uses a project, and which of its keys make calls. */
import type { Row } from "#test/guards/guard.ts";

const projects = "shared/edges/console/operations/organization-projects";
const members = "shared/edges/console/operations/organization-project-members";

export const projectRows: Row[] = [
  {
    id: "projects-1",
    test: "shared/edges/api/project-calls › an archived project's keys are refused",
    guard:
      "if (isArchived(principal.organization, principal.key.project)) throw archivedProject(principal.key);",
    without: "",
  },
  {
    id: "projects-2",
    test: `${projects} › takes no key, made or moved, until it is brought back`,
    guard: "if (after.project !== key.project) checkNotArchived(after.project, organization);",
    without: "",
  },
  {
    id: "projects-3",
    test: `${members} › alone make keys in it, with those who manage all keys`,
    guard: "await checkMove(id, body.value, rights, deps);",
    without: "",
  },
  {
    id: "projects-4",
    test: `${members} › who leaves the organization leaves its projects`,
    guard: "return members !== undefined && Object.hasOwn(members, id) && members[id] === since;",
    without: "return members !== undefined && Object.hasOwn(members, id);",
  },
  {
    id: "projects-5",
    test: `${projects} › loses no change of another, made at the same moment`,
    guard: "...toItem(after) }, [isAsRead]);",
    without: "...toItem(after) }, []);",
  },
  {
    id: "projects-6",
    test: `${projects} › gets a handle that no project, key, budget or call has ever had`,
    guard: "known.has(handle) || (await hasCalls(organization, handle, deps));",
    without: "known.has(handle);",
  },
  {
    id: "projects-7",
    test: `${projects} › loses no change of another, made at the same moment`,
    guard: 'const when = [exists("pk"), told ? equals("projects", toAttribute(told)) : absent("projects")];',
    without: 'const when = [exists("pk")];',
  },
];
