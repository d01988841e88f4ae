/** Usage over a range: bars over time, and a table whose lines lead to the calls behind them. */
import { useState } from "preact/hooks";
import { withQuery } from "../../../api.ts";
import type { Figures, SeriesBy, UsageLine, UsageSeries } from "../../../api-types.ts";
import { largest } from "../../../chart-scale.ts";
import { count, points, shortCount, step } from "../../../format.ts";
import { useAction, useLoad } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Bars } from "../../../parts/bars.tsx";
import { Button, ButtonLink } from "../../../parts/button.tsx";
import { Choice, Field } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty, ProblemNote } from "../../../parts/note.tsx";
import { Points } from "../../../parts/points.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { go, query, setQuery } from "../../../router.ts";
import { saveFile } from "../../../save-file.ts";
import { bucketsOf, endOf, labelOf, seriesOf } from "../../../series.ts";
import { api, may } from "../../../session.ts";
import {
  bys,
  callsBehind,
  isShort,
  ranges,
  readUsageQuery,
  seriesParameters,
  tagOf,
  type UsageRange,
} from "../../../usage-query.ts";
import { frameWords } from "../../../words.ts";
import { page as keysPage } from "../keys/page.ts";

type Words = typeof import("./en.ts").words;

const shown = {
  cost: ["cost_points"],
  calls: ["calls"],
  tokens: ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"],
} as const satisfies Record<string, readonly (keyof Figures)[]>;
type Shown = keyof typeof shown;

export function Page({ words }: PageProps<Words>) {
  const wanted = readUsageQuery(query.value);
  const [figure, setFigure] = useState<Shown>("cost");
  const path = <Route extends string>(route: Route) => withQuery(route, seriesParameters(wanted, Date.now()));
  const usage = useLoad(
    (asked) => api.get<"show_usage_series">(path("/api/v1/usage/series"), asked),
    `${wanted.by} ${wanted.range}`,
  );
  const { run, isRunning, problem } = useAction();
  const download = () =>
    run(async () => {
      const text = await api.text(path("/api/v1/usage/export"));
      saveFile(`usage-by-${wanted.by.replace(":", "-")}-${wanted.range}.csv`, text, "text/csv");
    });
  return (
    <Sheet
      lead={may("see_all_usage") ? words.lead : words.ownOnly}
      actions={
        <Button icon="download" isBusy={isRunning} onPress={download}>
          {words.csv}
        </Button>
      }
    >
      <ProblemNote problem={problem} />
      <div class="filters">
        <Choice
          label={words.range}
          value={wanted.range}
          options={(Object.keys(ranges) as UsageRange[]).map((value) => ({
            value,
            name: words.ranges[value],
            isDisabled: isShort(wanted.by) && ranges[value] > 31,
          }))}
          onValue={(range) => setQuery({ range })}
        />
        <Choice
          label={words.by}
          value={wanted.by}
          options={[...bys, ...(tagOf(wanted.by) ? [wanted.by] : [])].map((value) => ({
            value,
            name: byText(value, words),
          }))}
          onValue={(by) => setQuery({ by })}
        />
        <TagField words={words} />
        <Choice
          label={words.figure}
          value={figure}
          options={(Object.keys(shown) as Shown[]).map((value) => ({ value, name: words.figures[value] }))}
          onValue={setFigure}
        />
      </div>
      <Loaded of={usage} lines={8}>
        {(value) =>
          value.series.length === 0 ? (
            <Nothing words={words} />
          ) : (
            <>
              <Chart {...{ words, figure, usage: value, range: wanted.range }} />
              <Lines words={words} usage={value} />
            </>
          )
        }
      </Loaded>
    </Sheet>
  );
}

/** Splits by the tag whose name is typed. */
function TagField({ words }: { words: Words }) {
  const [name, setName] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (name.trim()) setQuery({ by: `tag:${name.trim()}` });
  };
  return (
    <form onSubmit={submit}>
      <Field
        label={words.tag}
        value={name}
        onValue={setName}
        size={12}
        after={<Button type="submit">{words.figure}</Button>}
      />
    </form>
  );
}

function byText(by: SeriesBy, words: Words): string {
  return words.bys[by as keyof Words["bys"]] ?? `${words.tag} ${tagOf(by)}`;
}

function Nothing({ words }: { words: Words }) {
  return (
    <Empty title={words.emptyTitle} action={<ButtonLink href={keysPage.path}>{words.keys}</ButtonLink>}>
      {words.emptyLead}
    </Empty>
  );
}

/** What a line is called, also one without a name. */
function nameOf(line: UsageLine, { by }: Pick<UsageSeries, "by">, words: Words): string {
  if (line.name === null) return by === "user" ? words.noUser : tagOf(by) ? words.noTag : words.noKey;
  if (by === "project" && line.name === "") return words.noProject;
  const name = labelOf(line) || line.name;
  return line.last_four ? `${name} …${line.last_four}` : name;
}

interface ChartProps {
  words: Words;
  usage: UsageSeries;
  figure: Shown;
  range: UsageRange;
}

function Chart({ words, usage, figure, range }: ChartProps) {
  const buckets = bucketsOf(usage);
  const lines = seriesOf(usage, buckets, shown[figure], (line) => nameOf(line, usage, words));
  const show = (value: number) =>
    figure === "cost" ? frameWords.value.pointsOf(points(value.toFixed(9))) : count(value);
  return (
    <Bars
      title={words.chartTitle(words.figures[figure], byText(usage.by, words), words.ranges[range])}
      bucketName={words.time}
      buckets={buckets.map((at) => step(at, usage.step))}
      series={largest(lines, 5, words.others)}
      show={show}
      showShort={shortCount}
      onOpen={(bucket, { name, label }) => {
        const from = buckets[bucket] ?? usage.from;
        // The last of the series stands for many, which no page of calls can show.
        const isOne = usage.series.some((line) => (line.name ?? "") === name && label !== words.others);
        const page = isOne && callsBehind({ by: usage.by, name }, { from, to: endOf(from, usage.step) });
        if (page) go(page);
      }}
    />
  );
}

function Lines({ words, usage }: { words: Words; usage: UsageSeries }) {
  interface Row extends Figures {
    key: string;
    text: string;
    page: string | undefined;
  }
  const rows: Row[] = usage.series.map((line) => ({
    ...line.totals,
    key: `${line.name === null} ${line.name}`,
    text: nameOf(line, usage, words),
    page: callsBehind({ by: usage.by, name: line.name }, usage),
  }));
  const by = byText(usage.by, words);
  const tokens = (name: string, of: (typeof shown.tokens)[number]) =>
    [name, (row: Row) => count(row[of]), "number wide"] as const;
  return (
    <Section title={words.tableTitle(by)} lead={`${words.tokenNote} ${frameWords.value.utc}`}>
      <Table
        caption={words.tableTitle(by)}
        rows={rows}
        keyOf={({ key }) => key}
        foot={{ ...usage.totals, key: "total", text: words.total, page: undefined }}
        columns={[
          [by, ({ text, page }) => (page ? <a href={page}>{text}</a> : text)],
          tokens(words.input, "input_tokens"),
          tokens(words.output, "output_tokens"),
          tokens(words.cacheRead, "cache_read_tokens"),
          tokens(words.cacheWrite, "cache_write_tokens"),
          [words.calls, ({ calls }) => count(calls), "number"],
          [words.cost, ({ cost_points }) => <Points of={cost_points} />, "number"],
        ]}
      />
    </Section>
  );
}
