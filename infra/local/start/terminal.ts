/**
 * What `npm start` prints of the functions' log: a short line for each call and trouble. The file has the whole lines.
 */
import { errorOfCode, statusOf } from "#shared/base/errors.ts";
import { type LogLine, readLogLine } from "#shared/edges/operator/trace-log.ts";

/** Takes whole lines of a log, and gives what to print of them; "" for nothing. What is no line of ours stays. */
export function shortLines(lines: string): string {
  const shown = lines.split("\n").flatMap((text) => {
    const line = text === "" ? undefined : readLogLine(text);
    const short = line ? shortLine(line) : text;
    return short ? [`${short}\n`] : [];
  });
  return shown.join("");
}

/** The line of a call, or of trouble; undefined for what only the log file has. */
function shortLine(line: LogLine): string | undefined {
  const { at, event, level, request, model, route, code, status, cost_points, duration_ms } = line;
  const words = (...all: (string | number | undefined | false)[]) =>
    [at.slice(11, 19), ...all].filter((word) => word !== undefined && word !== false).join("  ");
  const took = duration_ms !== undefined && `${duration_ms} ms`;
  switch (event) {
    case "call":
      return words(status, model ?? route, took, cost_points && `${cost_points} points`, request);
    case "refused":
    case "call_failed": {
      const error = errorOfCode(code);
      return words(error && statusOf(error), model ?? route, code && `error ${code}`, request);
    }
    default:
      return level === "info" ? undefined : words(level, event, line.error, request);
  }
}
