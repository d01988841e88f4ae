import type { Row } from "#test/guards/guard.ts";

export const reports: Row[] = [
  {
    id: "reports-1",
    test: "shared/reports/report-groups › every group is the sum of its entries, and all groups together the sum of the models",
    guard: "return { model, key, owner: project };",
    without: 'return { model, key, owner: "" };',
  },
  {
    id: "reports-2",
    test: "shared/reports/report-groups › every group is the sum of its entries, and all groups together the sum of the models",
    guard: 'if (dimensions.includes("hour")) return { day: "", month: "" };',
    without: "",
  },
  {
    id: "reports-3",
    test: "shared/reports/report-groups › every group is the sum of its entries, and all groups together the sum of the models",
    guard: "if (last && last.id !== event.id) yield last;",
    without: "if (last) yield last;",
  },
  {
    id: "reports-4",
    test: "shared/reports/report-groups › count as those of no key, late events and corrections beside them",
    guard: "const own = whole.has(all) ? all : name;",
    without: "const own = name; void [whole, all];",
  },
  {
    id: "reports-5",
    test: "shared/operations/audit/audit › rollups_match_entries",
    guard: "rollup.model, ...ownerOf(rollup)]",
    without: "rollup.model]",
  },
  {
    id: "reports-6",
    test: "shared/operations/api/reports › of a project's key may be its own and no other, nor the organization's",
    guard: "if (asked === undefined || asked === key.project) return key.project;",
    without: "return asked ?? key.project;",
  },
  {
    id: "reports-7",
    test: "shared/operations/api/reports › of more groups or entries than a report may have is refused, not cut off",
    guard: "checkEntries(++read, terms);",
    without: "",
  },
  {
    id: "reports-8",
    test: "shared/operations/api/report-parameters › refuses a parameter that is given twice, also with the same value",
    guard: "query.getAll(name).length > 1",
    without: "false",
  },
  {
    id: "reports-9",
    test: "shared/operations/api/report-parameters › refuses the unknown %s",
    guard: "if (!Object.hasOwn(readers, name))",
    without: "if (!(name in readers))",
  },
  {
    id: "reports-10",
    test: "shared/operations/api/instant › %s is told as %s, and read again as the same",
    guard: "if (/^\\d/.test(text)) return text;",
    without: "return text;",
  },
  {
    id: "reports-11",
    test: "shared/http/error-styles › a 401 says in every style how to authenticate, and no other error does",
    guard: "statusOf(key) === 401 ?",
    without: "false ?",
  },
  {
    id: "reports-12",
    test: "shared/operations/api/calls › shows every call once, as it counts, the newest first, whatever is asked for",
    guard: "if (isKnown || event.id === corrected) continue;",
    without: "if (isKnown) continue;",
  },
  {
    id: "reports-13",
    test: "shared/operations/api/calls › shows every call once, as it counts, the newest first, whatever is asked for",
    guard: '(project === "" || event.project === project) &&',
    without: "",
  },
  {
    id: "reports-14",
    test: "shared/operations/api/calls › is bounded where a filter leaves nothing, and leads on to the end",
    guard: "if (read >= limits.callListReadsMax)",
    without: "if (false)",
  },
  {
    id: "reports-15",
    test: "shared/operations/api/calls › does not take another organization's call for a place to go on from",
    guard: "await checkCursor(place.organization, wanted, deps);",
    without: "",
  },
  {
    id: "reports-16",
    test: "shared/reports/exports › gives back every text, runs none of them, and its pages put together are one file",
    guard: "const safe = runs ?",
    without: "const safe = false ?",
  },
  {
    id: "reports-17",
    test: "shared/operations/console/exports › are the operator's export, whatever the pages",
    guard: "bytes >= bytesMax && at !== last;",
    without: "bytes >= bytesMax;",
  },
  {
    id: "reports-18",
    test: "shared/operations/console/exports › are the operator's export, whatever the pages",
    guard: "csvBody(lines, after !== undefined)",
    without: "csvBody(lines, false)",
  },
];
