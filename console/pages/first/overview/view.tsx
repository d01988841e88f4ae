/** What is left, what was spent today, and whether anything needs attention. Live while somebody looks. */

import { useEffect } from "preact/hooks";
import { withQuery } from "../../../api.ts";
import type { UsageSeries, UsageSummary } from "../../../api-types.ts";
import { largest } from "../../../chart-scale.ts";
import { count, day, points, shortCount, step } from "../../../format.ts";
import { useLoad, useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { Bars } from "../../../parts/bars.tsx";
import { ButtonLink } from "../../../parts/button.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Meter } from "../../../parts/meter.tsx";
import { Empty, Note } from "../../../parts/note.tsx";
import { Points } from "../../../parts/points.tsx";
import { Figure, Section, Sheet } from "../../../parts/sheet.tsx";
import { bucketsOf, labelOf, seriesOf } from "../../../series.ts";
import { api, may } from "../../../session.ts";
import { frameWords } from "../../../words.ts";
import { page as keysPage } from "../../daily/keys/page.ts";
import { page as usagePage } from "../../daily/usage/page.ts";
import { page as planPage } from "../../money/plan/page.ts";
import { page as rechargePage } from "../../money/recharge/page.ts";

type Words = typeof import("./en.ts").words;

const liveMs = 5_000;
const chartMs = 60_000;
const dayMs = 86_400_000;

export function Page({ words }: PageProps<Words>) {
  const summary = useRead<"show_usage_summary">("/api/v1/usage/summary", { everyMs: liveMs });
  const usage = useLoad((asked) => api.get<"show_usage_series">(lastDays(), asked), "series", {
    everyMs: chartMs,
  });
  const calls = summary.value?.today.calls;
  // Whoever waits for the first call sees it in the chart as soon as in the figures.
  useEffect(() => {
    if (calls && usage.value?.totals.calls === 0) usage.reload();
  }, [calls]);
  return (
    <Sheet lead={frameWords.value.utc}>
      <Loaded of={summary} lines={3}>
        {(value) => (
          <>
            <Alerts words={words} alerts={value.alerts} />
            <Figures words={words} summary={value} />
          </>
        )}
      </Loaded>
      <Section
        title={words.chart}
        actions={
          <ButtonLink look="quiet" href={usagePage.path}>
            {words.openUsage}
          </ButtonLink>
        }
      >
        <Loaded of={usage} lines={6}>
          {(value) => <Chart words={words} usage={value} />}
        </Loaded>
      </Section>
    </Sheet>
  );
}

/** The last thirty days, today included. */
function lastDays() {
  const to = Math.floor(Date.now() / dayMs + 1) * dayMs;
  const at = (ms: number) => new Date(ms).toISOString();
  return withQuery("/api/v1/usage/series", {
    from: at(to - 30 * dayMs),
    to: at(to),
    by: "model",
    step: "day",
  });
}

function Alerts({ words, alerts }: { words: Words; alerts: UsageSummary["alerts"] }) {
  if (alerts.length === 0) return null;
  return (
    <div class="notes">
      {alerts.map((alert) => {
        const [text, link, href] =
          alert.kind === "low_balance"
            ? [words.lowBalance(alert.days_left), words.recharge, rechargePage.path]
            : [words[alert.kind](day(alert.at)), words.seePlan, planPage.path];
        return (
          <Note key={alert.kind} look="warn">
            <p>
              {text} {may("manage_billing") && <a href={href}>{link}</a>}
            </p>
          </Note>
        );
      })}
    </div>
  );
}

function Figures({ words, summary }: { words: Words; summary: UsageSummary }) {
  const { wallet, days_left, pace, today, compared, in_flight, subscription } = summary;
  const unit = frameWords.value.points;
  const quota = subscription?.quota;
  const paceNote = days_left !== null ? words.daysLeft(days_left) : pace && words.noPace;
  const isHeld = wallet && Number(wallet.held_points) > 0;
  return (
    <>
      <dl class="figures-row">
        {wallet && (
          <Figure
            name={words.balance}
            note={
              <>
                {paceNote}
                {isHeld && (
                  <>
                    <br />
                    {words.held(points(wallet.held_points))}
                  </>
                )}
              </>
            }
          >
            <Points of={wallet.balance_points} /> <small>{unit}</small>
          </Figure>
        )}
        <Figure name={words.today} note={words.yesterday(points(compared.yesterday.cost_points))}>
          {points(today.cost_points)} <small>{unit}</small>
        </Figure>
        <Figure name={words.calls} note={words.yesterday(count(compared.yesterday.calls))}>
          {count(today.calls)}
        </Figure>
        <Figure name={words.inFlight} note={words.inFlightNote}>
          {count(in_flight)}
        </Figure>
      </dl>
      {quota && quota.limit !== null && (
        <Meter
          label={words.quota}
          used={quota.used}
          limit={quota.limit}
          note={quota.resets_at && words.quotaUntil(day(quota.resets_at))}
        />
      )}
    </>
  );
}

function Chart({ words, usage }: { words: Words; usage: UsageSeries }) {
  if (usage.totals.calls === 0) {
    return (
      <Empty
        title={words.emptyTitle}
        action={
          may("manage_own_keys") && (
            <ButtonLink look="main" icon="plus" href={`${keysPage.path}?new=1`}>
              {words.makeKey}
            </ButtonLink>
          )
        }
      >
        {words.emptyLead}
      </Empty>
    );
  }
  const buckets = bucketsOf(usage);
  return (
    <Bars
      title={words.chartTitle(points(usage.totals.cost_points))}
      bucketName={words.day}
      buckets={buckets.map((at) => step(at, usage.step))}
      series={largest(seriesOf(usage, buckets, ["cost_points"], labelOf), 5, words.others)}
      show={(value) => points(value.toFixed(6))}
      showShort={shortCount}
    />
  );
}
