/** The event buses of the stack on this machine: they take the events of the product, and show them to people. */
import { escapeHtml } from "../dashboard/chart.ts";
import type { BusEvent } from "../emulators/event-bus.ts";
import { actionNamed, JsonRefusal, type ShownText, serveJson } from "../emulators/json-protocol.ts";
import type { Listening } from "../emulators/listen.ts";
import { account, region } from "../stack/template.ts";
import { plainPage } from "./plain-page.ts";

/** How many events of the buses are kept. */
const keptMax = 100;

/** What a request to `PutEvents` has, as far as it is known here. */
interface PutEvents {
  Entries?: { EventBusName?: string; Source?: string; DetailType?: string; Detail?: string; Time?: number }[];
}

/** Serves the buses with these ARNs. The page `/` and `/events.json` have the last events, the newest first. */
export async function startEventBuses(buses: readonly string[]): Promise<Listening> {
  const kept: BusEvent[] = [];
  const put = ({ Entries = [] }: PutEvents) => {
    const taken = Entries.map((entry) => eventOf(entry, buses));
    const events = taken.filter((each) => "detail" in each);
    kept.unshift(...events.toReversed());
    kept.length = Math.min(kept.length, keptMax);
    return {
      FailedEntryCount: taken.length - events.length,
      Entries: taken.map((each) => ("detail" in each ? { EventId: each.id } : each)),
    };
  };
  const shown: Record<string, () => ShownText> = {
    "/": () => ({ type: "text/html", body: pageOf(kept) }),
    "/events.json": () => ({
      type: "application/json",
      body: JSON.stringify({ object: "list", data: kept }),
    }),
  };
  return await serveJson(
    "1.1",
    (name, body) => {
      if (name !== "PutEvents") return actionNamed({}, name, "UnknownOperationException");
      return put(putEventsIn(body));
    },
    (path) => (Object.hasOwn(shown, path) ? shown[path]?.() : undefined),
  );
}

function putEventsIn(body: string): PutEvents {
  try {
    return JSON.parse(body) as PutEvents;
  } catch {
    throw new JsonRefusal("SerializationException", "the request is no JSON");
  }
}

/** The event of an entry, or why it is none. AWS takes one for a bus that is not there and drops it; here that shows. */
function eventOf(
  {
    EventBusName = "",
    Source = "",
    DetailType = "",
    Detail = "",
    Time,
  }: NonNullable<PutEvents["Entries"]>[0],
  buses: readonly string[],
): BusEvent | { ErrorCode: string; ErrorMessage: string } {
  const refused = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });
  if (!buses.includes(EventBusName)) return refused("ResourceNotFoundException", `no bus ${EventBusName}`);
  if (Source === "" || DetailType === "") return refused("InvalidArgument", "Source or DetailType is empty");
  let detail: unknown;
  try {
    detail = JSON.parse(Detail);
  } catch {
    return refused("MalformedDetail", "Detail is malformed.");
  }
  return {
    ...{ version: "0", id: crypto.randomUUID(), "detail-type": DetailType, source: Source, account },
    time: new Date(Time === undefined ? Date.now() : Time * 1000).toISOString(),
    ...{ region, resources: [], detail: detail as BusEvent["detail"] },
  };
}

/** The page, which a browser loads anew every two seconds. */
function pageOf(events: readonly BusEvent[]): string {
  const rows = events.map(
    ({ "detail-type": type, source, time, detail }) =>
      `<tr><td><b>${escapeHtml(type)}</b><br>${escapeHtml(source)}</td><td><code>${escapeHtml(JSON.stringify(detail))}</code></td><td>${escapeHtml(time.slice(11, 19))} UTC</td></tr>`,
  );
  const head = '<th scope="col">Event</th><th scope="col">Detail</th><th scope="col">Happened</th>';
  const body =
    rows.length === 0
      ? "<p>No event yet. What happens in an organization comes within two minutes.</p>"
      : `<table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
  return plainPage({ title: "Events", body, style: "", reloadSeconds: 2 });
}
