/** What a dashboard has: sections of widgets, and the parts of the stack that they look at. */
import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Fronts } from "../../resources/fronts.ts";
import type { StageTables } from "../../resources/tables.ts";
import type { Stage } from "../../stage/stage.ts";
import type { Workers } from "../worker-alarms.ts";
import type { ShownWords } from "./charts.ts";

export interface DashboardParts extends Workers {
  stage: Stage;
  fronts: Fronts;
  tables: StageTables;
}

export interface Widget extends ShownWords {
  metrics: IMetric[];
  /** Whether the lines are parts of one sum. */
  stacked?: true;
}

export interface Section {
  title: string;
  widgets: Widget[];
}

/** The log groups of the pipeline, wherever it runs. */
export function gatewayLogs({ url, web, service }: Fronts): ILogGroup[] {
  return [url, web, service].flatMap((front) => (front ? [front.gateway.logGroup] : []));
}
