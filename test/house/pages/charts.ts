/** The charts of the dashboard, as `infra/monitoring/charts.md` shows them. */
import { chartWords } from "#infra/monitoring/dashboard/charts.ts";
import { tableOf } from "./page.ts";

/** The page below its title. */
export function chartsPage(): string {
  const sections = Object.entries(chartWords).map(([section, charts]) => {
    const rows = Object.entries(charts).map(([title, { from, normal }]) => [title, from, normal]);
    return `## ${section}\n\n${tableOf(["Chart", "From", "Normal"], rows)}`;
  });
  return sections.join("\n\n");
}
