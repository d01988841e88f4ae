/** The dashboard of a stage (infra/monitoring/dashboard.md). `npm start` draws it from the template. */
import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IWidget,
  PeriodOverride,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import { resourceName } from "../../stage/resource-name.ts";
import { callSection, modelSection } from "./calls.ts";
import { consoleSections } from "./console.ts";
import { costSection } from "./cost.ts";
import { bookSection, channelSection } from "./health.ts";
import type { DashboardParts, Section, Widget } from "./widget.ts";

/** CloudWatch's grid has 24 columns. */
const columns = 24;
const chart = { width: 8, height: 6 };
/** The rows of the grid that a heading and each line of text take. */
const textRows = (lines: number) => 1 + Math.ceil(lines * 0.8);
/** An alarm takes a third of a row of the grid. */
const alarmRows = (alarms: number) => 2 + Math.ceil(alarms / 6);

/** Every section, in the order in which a person looks at them. */
function sectionsOf(seen: DashboardParts): Section[] {
  return [
    ...[callSection(seen), modelSection(seen), channelSection(seen), bookSection(seen)],
    ...consoleSections(seen),
    costSection(seen),
  ];
}

export class StageDashboard extends Construct {
  /** `alarms` is the construct with the stage's alarms in it. */
  constructor(scope: Construct, id: string, { alarms, ...seen }: DashboardParts & { alarms: Construct }) {
    super(scope, id);
    const all = alarms.node.findAll().filter((each) => each instanceof Alarm);
    const state = new AlarmStatusWidget({
      title: "Alarms",
      alarms: all,
      width: columns,
      height: alarmRows(all.length),
    });
    new Dashboard(this, "Dashboard", {
      dashboardName: resourceName(this),
      defaultInterval: Duration.hours(3),
      // A chart says "a minute", so a minute it is, however long a time is looked at.
      periodOverride: PeriodOverride.INHERIT,
      widgets: [[state], ...sectionsOf(seen).flatMap(rowsOf)],
    });
  }
}

/** A heading with what each chart says, and below it the charts. */
function rowsOf({ title, widgets }: Section): IWidget[][] {
  const markdown = [`## ${title}`, ...widgets.map((widget) => `- **${widget.title}**: ${widget.says}`)].join(
    "\n",
  );
  const heading = new TextWidget({ markdown, width: columns, height: textRows(widgets.length) });
  return [[heading], widgets.map(graphOf)];
}

function graphOf({ title, unit, metrics, stacked }: Widget): IWidget {
  return new GraphWidget({
    ...chart,
    title,
    left: metrics,
    stacked: stacked === true,
    leftYAxis: { label: unit, showUnits: false, min: 0 },
  });
}
