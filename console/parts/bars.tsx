import { useEffect, useRef, useState } from "preact/hooks";
import { type ChartSeries, labelEvery, stacked, ticks } from "../chart-scale.ts";
import { frameWords } from "../words.ts";
import { Table, type TableColumn } from "./table.tsx";

interface BarsProps {
  /** Says what the chart shows, for who does not see it. */
  title: string;
  /** The buckets' names, in order. */
  buckets: string[];
  series: ChartSeries[];
  /** A value with its unit. */
  show: (value: number) => string;
  /** A value in little room, for the axis. */
  showShort: (value: number) => string;
  /** A press on a bar. The same must be reachable by a link elsewhere on the page. */
  onOpen?: (bucket: number, series: ChartSeries) => void;
  /** Above the first column of the table of the chart's numbers. */
  bucketName: string;
}

const height = 220;
const bottom = 24;
const top = 8;

/** Stacked bars, with a legend and all their numbers in a table. */
export function Bars(props: BarsProps) {
  const { title, series } = props;
  const axis = axisOf(props);
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [pointed, setPointed] = useState<number>();
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return (
    <figure class="chart">
      <Legend series={series} />
      <div class="plot" ref={box} onPointerLeave={() => setPointed(undefined)}>
        {width > 0 && (
          <svg role="img" aria-label={title} width={width} height={height} class="bars">
            <title>{title}</title>
            <Drawing {...props} {...axis} width={width} pointed={pointed} onPoint={setPointed} />
          </svg>
        )}
        {pointed !== undefined && <Tip {...props} {...axis} bucket={pointed} width={width} />}
      </div>
      <details class="figures">
        <summary>{frameWords.value.figures}</summary>
        <Numbers {...props} />
      </details>
    </figure>
  );
}

function Legend({ series }: Pick<BarsProps, "series">) {
  return (
    <ul class="legend" aria-hidden="true">
      {series.map(({ name, label }, at) => (
        <li key={name}>
          <span class={`dot s${at}`} />
          {label}
        </li>
      ))}
    </ul>
  );
}

/** The room of the longest label. Han letters are as wide as two others. */
function labelWidth(buckets: readonly string[]): number {
  const letters = buckets.map((name) => name.length + (name.match(/\p{Script=Han}/gu)?.length ?? 0));
  return Math.max(0, ...letters) * 6.5 + 16;
}

/** The lines of the axis, and the room of their labels. */
interface Axis {
  lines: number[];
  left: number;
}

function axisOf({ buckets, series, showShort }: BarsProps): Axis {
  const sums = buckets.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const lines = ticks(Math.max(0, ...sums));
  return { lines, left: Math.max(32, labelWidth(lines.map(showShort))) };
}

interface DrawingProps extends BarsProps, Axis {
  width: number;
  pointed: number | undefined;
  onPoint: (bucket: number) => void;
}

function Drawing(props: DrawingProps) {
  const { buckets, series, showShort, width, lines, left, pointed, onPoint, onOpen } = props;
  const max = lines.at(-1) ?? 1;
  const plotHeight = height - top - bottom;
  const y = (part: number) => top + plotHeight * (1 - part);
  const slot = (width - left) / Math.max(buckets.length, 1);
  const bar = Math.max(1, Math.min(slot * 0.68, 44));
  const room = labelWidth(buckets);
  const every = labelEvery(buckets.length, width - left, room);
  const labelAt = (bucket: number) => Math.min(left + slot * (bucket + 0.5), width - room / 2 + 6);
  return (
    <>
      {lines.map((value) => (
        <g key={value}>
          <line class="grid" x1={left} x2={width} y1={y(value / max)} y2={y(value / max)} />
          <text x={left - 8} y={y(value / max) + 4} text-anchor="end">
            {showShort(value)}
          </text>
        </g>
      ))}
      {buckets.map((name, bucket) => {
        const x = left + slot * bucket + (slot - bar) / 2;
        return (
          <g
            key={name}
            class={bucket === pointed ? "pointed" : undefined}
            onPointerEnter={() => onPoint(bucket)}
          >
            <rect class="slot" x={left + slot * bucket} y={top} width={slot} height={plotHeight} />
            {stacked(series, bucket, max).map(({ from, to }, at) => {
              const part = series[at];
              if (!part || to <= from) return null;
              const open = onOpen && (() => onOpen(bucket, part));
              return (
                // biome-ignore lint/a11y/noStaticElementInteractions: the same links stand in the page's table.
                <rect
                  key={part.name}
                  class={`s${at}${open ? " opens" : ""}`}
                  x={x}
                  y={y(to)}
                  width={bar}
                  height={Math.max(1, y(from) - y(to))}
                  onClick={open}
                />
              );
            })}
            {bucket % every === 0 && (
              <text x={labelAt(bucket)} y={height - 6} text-anchor="middle">
                {name}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

/** What the pointed bucket is made of. */
function Tip(props: BarsProps & Axis & { bucket: number; width: number }) {
  const { buckets, series, show, bucket, width, left } = props;
  const slot = (width - left) / Math.max(buckets.length, 1);
  const x = left + slot * (bucket + 0.5);
  const parts = series.filter(({ values }) => (values[bucket] ?? 0) > 0);
  const total = parts.reduce((sum, { values }) => sum + (values[bucket] ?? 0), 0);
  const side = x > width / 2 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  return (
    <div class="tip" style={side} aria-hidden="true">
      <strong>{buckets[bucket]}</strong>
      <span class="number">{show(total)}</span>
      {parts.map((part) => (
        <div key={part.name}>
          <span class={`dot s${series.indexOf(part)}`} />
          <span>{part.label}</span>
          <span class="number">{show(part.values[bucket] ?? 0)}</span>
        </div>
      ))}
    </div>
  );
}

function Numbers({ title, buckets, series, show, bucketName }: BarsProps) {
  const rows = buckets.map((name, at) => ({ name, at }));
  return (
    <Table
      caption={title}
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        [bucketName, ({ name }) => name],
        ...series.map(
          ({ label, values }): TableColumn<(typeof rows)[number]> => [
            label,
            ({ at }) => show(values[at] ?? 0),
            "number",
          ],
        ),
      ]}
    />
  );
}
