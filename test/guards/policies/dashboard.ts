/** What keeps the dashboard whole, and the local one to those who run it. */
import type { Row } from "#test/guards/guard.ts";

export const dashboard: Row[] = [
  {
    id: "dashboard-1",
    rule: "a call that is refused is counted by its code and route",
    test: "infra/monitoring/dashboard › counts what the code has written",
    guard: 'deps.log("info", "refused", failed);',
    without: "void deps;",
  },
  {
    id: "dashboard-2",
    rule: "a page of another name that leads to this machine cannot read the local dashboard",
    test: "infra/local/dashboard/dashboard › the server answers its own name alone, with whatever port it gets, and names what cannot be drawn",
    in: "emulators/loopback.ts",
    guard: 'host.test(headers.host ?? "")',
    without: "host",
  },
  {
    id: "dashboard-3",
    rule: "no text of a label becomes markup of the local dashboard",
    test: "infra/local/dashboard/dashboard › has a table and words for those who do not see it, and no text of a label becomes markup",
    guard: "return text.replace(/[&<>\"']/g, (letter) => entities[letter] ?? letter);",
    without: "return text || String(entities);",
  },
  {
    id: "dashboard-4",
    rule: "the line of a refused call, which is all that is kept of it, says whose call it was",
    test: "shared/calls/gateway/refused-line › names organization and key once they are known, and never a name that is no model's",
    guard: "...request.names, ",
    without: "",
  },
  {
    id: "dashboard-5",
    rule: "of lines that share an alarm each rings by itself",
    test: "infra/monitoring/alarms › watch each line and flag by itself where they share an alarm, and name its runbook",
    in: "monitoring/log-metrics.ts",
    guard: " ORDER BY SUM() DESC`",
    without: "`",
  },
  {
    id: "dashboard-6",
    rule: "a line of which some wake nobody adds a share alone",
    test: "infra/monitoring/alarms › take a share of a line where one wakes nobody, and count internal errors of the console apart",
    guard: "share: 1 / (above + 1)",
    without: "share: above < 0 ? 0 : 1",
  },
];
