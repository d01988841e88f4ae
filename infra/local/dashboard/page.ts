/** The page of the local dashboard. It is whole without its script, which refreshes it and shows values. */
import { type ChartView, chartCard, escapeHtml } from "./chart.ts";
import type { Definition } from "./definition.ts";
import { type AlarmState, draw, type MetricSource, stateOf } from "./evaluate.ts";

/** What the page shows, and what `/dashboard.json` gives. */
interface ShownBoard {
  title: string;
  /** When it was made, RFC 3339. */
  at: string;
  alarms: { name: string; state: AlarmState; by: string[]; description: string }[];
  sections: { title: string; charts: ChartView[] }[];
}

/** How many minutes are shown. */
const shown = 60;
const minuteMs = 60_000;

/** Evaluates all of the dashboard at an instant, Unix milliseconds. */
export function boardAt(definition: Definition, now: number, source: MetricSource): ShownBoard {
  const last = now - (now % minuteMs);
  const minutes = Array.from({ length: shown }, (_, at) => last - (shown - 1 - at) * minuteMs);
  return {
    title: definition.title,
    at: new Date(now).toISOString(),
    alarms: definition.alarms.map((alarm) => ({
      name: alarm.name,
      ...stateOf(alarm, now, source),
      description: alarm.description,
    })),
    sections: definition.sections.map(({ title, charts }) => ({
      title,
      charts: charts.map((chart) => {
        const { title: name, says, unit, isStacked } = chart;
        const id = name.toLowerCase().replace(/\W+/g, "-");
        return { id, title: name, says, unit, isStacked, minutes, ...draw(chart, now, source, shown) };
      }),
    })),
  };
}

/** The whole page. */
export function pageOf(board: ShownBoard, gatewayUrl: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(board.title)}: dashboard</title>
<link rel="stylesheet" href="/page.css">
<link rel="icon" href="data:,">
<script type="module" src="/page.js"></script>
</head>
<body>
<header>
<h1>Gateway on this machine</h1>
<p>The dashboard <b>${escapeHtml(board.title)}</b> of the template, drawn from the log and the stand-ins of <code>${escapeHtml(gatewayUrl)}</code>. The last hour, by the minute, in UTC.</p>
<p class="bar"><button type="button" id="pause" hidden aria-pressed="false">Pause</button> <span id="state" role="status">As of ${escapeHtml(board.at.slice(11, 19))} UTC. Reload for newer values.</span></p>
</header>
<main>
${alarmSection(board.alarms)}
${board.sections.map(sectionOf).join("\n")}
</main>
<footer><p><a href="/dashboard.json">The same as JSON</a></p></footer>
</body>
</html>
`;
}

const words: Record<AlarmState, string> = {
  alarm: "in alarm",
  ok: "OK",
  early: "too early to tell",
  elsewhere: "measured on AWS alone",
};

/** What rings stands in front. What only AWS measures stands at the end, in fewer words. */
function alarmSection(alarms: ShownBoard["alarms"]): string {
  const inState = (state: AlarmState) => alarms.filter((alarm) => alarm.state === state);
  const ringing = inState("alarm").map(
    ({ name, by, description }) =>
      `<li class="alarm"><b>${escapeHtml([name, ...by].join(" "))}</b> ${words.alarm}: ${escapeHtml(description)}</li>`,
  );
  const others = (["ok", "early", "elsewhere"] as const).flatMap((state) => {
    const names = inState(state).map(({ name }) => name);
    return names.length === 0
      ? []
      : [
          `<details><summary>${names.length} ${words[state]}</summary><p>${escapeHtml(names.join(", "))}</p></details>`,
        ];
  });
  const list = ringing.length > 0 ? `<ul class="alarms">${ringing.join("")}</ul>` : "<p>No alarm rings.</p>";
  return `<section id="alarms" aria-labelledby="alarms-title"><h2 id="alarms-title">Alarms</h2>${list}${others.join("")}</section>`;
}

function sectionOf({ title, charts }: ShownBoard["sections"][number]): string {
  return `<h2>${escapeHtml(title)}</h2>\n<div class="cards">${charts.map(chartCard).join("\n")}</div>`;
}
