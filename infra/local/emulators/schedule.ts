/** EventBridge's schedules on this machine: `rate(…)` and `cron(…)`, to the minute, in UTC. */

const units: Record<string, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Calls `run` as the expression says. Gives the function that ends this. Throws on an unknown expression. */
export function startSchedule(expression: string, run: () => void): () => void {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (rate) {
    const timer = setInterval(run, Number(rate[1]) * (units[rate[2] ?? ""] ?? 0));
    return () => clearInterval(timer);
  }
  const isDue = parseCron(expression);
  let timer = setTimeout(function tick() {
    if (isDue(new Date())) run();
    timer = setTimeout(tick, untilNextMinute());
  }, untilNextMinute());
  return () => clearTimeout(timer);
}

/** A little past the full minute, since timers may be early. */
function untilNextMinute(): number {
  return 60_000 - (Date.now() % 60_000) + 20;
}

/** Reads `cron(minutes hours day-of-month month day-of-week year)`, without names, `L`, `W` and `#`. */
export function parseCron(expression: string): (at: Date) => boolean {
  const fields = /^cron\(([\d*?,/-]+(?: [\d*?,/-]+){5})\)$/.exec(expression)?.[1]?.split(" ");
  if (!fields) throw new Error(`the schedule ${expression} is not known here`);
  return (at) => {
    const values = [
      at.getUTCMinutes(),
      at.getUTCHours(),
      at.getUTCDate(),
      at.getUTCMonth() + 1,
      at.getUTCDay() + 1,
      at.getUTCFullYear(),
    ];
    return values.every((value, index) => fieldHas(fields[index] ?? "", value));
  };
}

function fieldHas(field: string, value: number): boolean {
  return field.split(",").some((part) => {
    const [range = "", step] = part.split("/");
    if (range === "*" || range === "?") return step === undefined || value % Number(step) === 0;
    const [low = 0, high] = range.split("-").map(Number);
    const last = high ?? (step === undefined ? low : Number.POSITIVE_INFINITY);
    return value >= low && value <= last && (value - low) % Number(step ?? 1) === 0;
  });
}
