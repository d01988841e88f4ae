/** One chart as HTML: an SVG of its lines, a legend with the latest values, and a table of all of them. */

import type { ChartLine } from "./evaluate.ts";
import type { MetricValues } from "./expression.ts";

/** What is drawn. */
export interface ChartView {
  /** Unique in the page. */
  id: string;
  title: string;
  says: string;
  unit: string;
  isStacked: boolean;
  lines: ChartLine[];
  /** Labels of lines that only AWS measures. */
  elsewhere: string[];
  /** The beginning of each minute, Unix milliseconds. */
  minutes: number[];
}

/** So many colours can be told apart. The lines beyond them are in the table alone. */
const linesMax = 8;

/** Text as HTML, also inside of attributes. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);
}

/** A number with three digits that count, and with K or M where it is long. */
export function formatNumber(value: number): string {
  const notation = Math.abs(value) >= 100_000 ? "compact" : "standard";
  return new Intl.NumberFormat("en", { maximumSignificantDigits: 3, notation }).format(value);
}

/** The hour and minute of an instant (Unix ms), in UTC as CloudWatch has them. */
function formatMinute(at: number): string {
  return new Date(at).toISOString().slice(11, 16);
}

/** The end of an axis: the next of 1, 2 and 5 times a power of ten. */
export function niceMaximum(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((each) => each * power >= value * 0.999_999) ?? 10;
  return factor * power;
}

/** The whole card of a chart. */
export function chartCard(view: ChartView): string {
  const { id, title, says, isStacked, lines, unit, minutes } = view;
  const known = lines.filter(({ values }) => values.some((value) => value !== null));
  const ordered = known.toSorted((a, b) => total(b.values) - total(a.values));
  // Few lines keep their order, so that p50 stands before p95.
  const drawn = known.length > linesMax ? ordered.slice(0, linesMax) : known;
  const heading = `<h3 id="${id}-title">${escapeHtml(title)}</h3><p class="says">${escapeHtml(says)}</p>`;
  const note = notes(view, known.length - drawn.length);
  if (drawn.length === 0) {
    const nothing =
      lines.length === 0 && view.elsewhere.length > 0
        ? "Only AWS measures this."
        : "Nothing in the last hour.";
    return card(id, `${heading}<p class="nothing">${nothing}</p>${lines.length > 0 ? note : ""}`);
  }
  const data = {
    unit,
    minutes: minutes.map(formatMinute),
    lines: drawn.map(({ label, values }) => ({ label, values })),
  };
  const spoken = `${title}, ${unit}. ${drawn.map(summary).join("; ")}. Arrow keys read the minutes.`;
  return card(
    id,
    `${heading}<div class="plot" tabindex="0" role="group" aria-label="${escapeHtml(spoken)}" data-chart="${escapeHtml(JSON.stringify(data))}">
${svg(drawn, { isStacked, minutes })}
<div class="tip" hidden></div></div>
<p class="unit">${escapeHtml(unit)}</p>
<ul class="legend">${drawn.map(legendItem).join("")}</ul>${note}
<details><summary>Table</summary>${table(known, minutes, title)}</details>`,
  );
}

function card(id: string, content: string): string {
  return `<section class="card" id="${id}" aria-labelledby="${id}-title">${content}</section>`;
}

function notes({ elsewhere, lines }: ChartView, more: number): string {
  const left = more > 0 ? [`${more} smaller lines are in the table alone.`] : [];
  const absent =
    lines.length > 0 && elsewhere.length > 0 ? [`Only AWS measures ${elsewhere.join(", ")}.`] : [];
  const text = [...left, ...absent].join(" ");
  return text === "" ? "" : `<p class="note">${escapeHtml(text)}</p>`;
}

const total = (values: MetricValues) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** The last value that is there. */
const latest = (values: MetricValues) => values.findLast((value) => value !== null) ?? null;

function summary({ label, values }: ChartLine): string {
  const highest = Math.max(...values.map((value) => value ?? 0));
  return `${label} ${formatNumber(latest(values) ?? 0)}, at most ${formatNumber(highest)}`;
}

function legendItem({ label, values }: ChartLine, at: number): string {
  const value = latest(values);
  return `<li><i class="mark s${at}"></i>${escapeHtml(label)} <b>${value === null ? "–" : formatNumber(value)}</b></li>`;
}

function table(lines: readonly ChartLine[], minutes: readonly number[], title: string): string {
  const head = lines.map(({ label }) => `<th scope="col">${escapeHtml(label)}</th>`).join("");
  const rows = minutes
    .map((minute, at) => ({ minute, values: lines.map(({ values }) => values[at] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .toReversed()
    .map(({ minute, values }) => {
      const cells = values.map((value) => `<td>${value === null ? "" : formatNumber(value)}</td>`).join("");
      return `<tr><th scope="row">${formatMinute(minute)}</th>${cells}</tr>`;
    });
  return `<div class="scroll"><table><caption>${escapeHtml(title)}, minutes with a value, UTC</caption><thead><tr><th scope="col">UTC</th>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

/** A stacked line stands on the sum of those before it. Where it has no value, and another one has, it adds nothing. */
function stacked(lines: readonly ChartLine[]): { top: MetricValues; bottom: MetricValues }[] {
  const isKnown = (at: number) => lines.some(({ values }) => typeof values[at] === "number");
  let bottom: MetricValues = lines[0]?.values.map((_, at) => (isKnown(at) ? 0 : null)) ?? [];
  return lines.map(({ values }) => {
    const before = bottom;
    bottom = before.map((value, at) => (value === null ? null : value + (values[at] ?? 0)));
    return { top: bottom, bottom: before };
  });
}

/** Its texts stand in an SVG without a view box, at shares of its size, so that they are not stretched with the card. */
function svg(
  lines: readonly ChartLine[],
  { isStacked, minutes }: Pick<ChartView, "isStacked" | "minutes">,
): string {
  const layers = isStacked ? stacked(lines) : lines.map(({ values }) => ({ top: values, bottom: undefined }));
  const maximum = niceMaximum(Math.max(...layers.flatMap(({ top }) => top.map((value) => value ?? 0))));
  const y = (value: number) => round(100 - (100 * value) / maximum);
  const shapes = layers.map(({ top, bottom }, at) => {
    const gap = lines[at]?.minutes ?? 1;
    const area = bottom ? `<path class="area s${at}" d="${areaPath(top, bottom, y)}"/>` : "";
    return `${area}<path class="line s${at}" d="${linePath(top, gap, y)}"/>`;
  });
  const grid = [0, 50, 100].map((at) => `<path class="grid" d="M0 ${at}H${minutes.length - 1}"/>`).join("");
  const [first = 0, middle = 0, last = 0] = [0, Math.floor(minutes.length / 2), minutes.length - 1].map(
    (at) => minutes[at] ?? 0,
  );
  return `<svg class="chart" aria-hidden="true"><svg class="inner" y="14" height="106" viewBox="0 0 ${minutes.length - 1} 100" preserveAspectRatio="none">${grid}${shapes.join("")}<path class="cursor" d="" /></svg>
<text x="0" y="11">${formatNumber(maximum)}</text><text x="0" y="64">${formatNumber(maximum / 2)}</text>
<text x="0" y="135">${formatMinute(first)}</text><text x="50%" y="135" text-anchor="middle">${formatMinute(middle)}</text><text x="100%" y="135" text-anchor="end">${formatMinute(last)}</text></svg>`;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Values further apart than one period are not joined. One that stands alone is a dot. */
export function linePath(values: MetricValues, gap: number, y: (value: number) => number): string {
  let before: number | undefined;
  const parts: string[] = [];
  values.forEach((value, at) => {
    if (value === null) return;
    const joined = before !== undefined && at - before <= gap;
    const isAlone = !joined && values.slice(at + 1, at + 1 + gap).every((next) => next === null);
    parts.push(`${joined ? "L" : "M"}${at} ${y(value)}${isAlone ? "h0" : ""}`);
    before = at;
  });
  return parts.join("");
}

function areaPath(top: MetricValues, bottom: MetricValues, y: (value: number) => number): string {
  const known = top.flatMap((value, at) => (value === null ? [] : [{ at, value, below: bottom[at] ?? 0 }]));
  const points = [
    ...known.map(({ at, value }) => `${at} ${y(value)}`),
    ...known.map(({ at, below }) => `${at} ${y(below)}`).toReversed(),
  ];
  return points.length === 0 ? "" : `M${points.join("L")}Z`;
}
