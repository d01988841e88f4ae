/**
 * `npm run weather [-- --seeds N] [--seconds N] [--weather NAME] [--rule NAME] [--rate N]` plays every rule in every
 * weather, and prints what the calls saw.
 */
import { parseArgs } from "node:util";
import { figuresOf } from "./figures.ts";
import { type Weather, weathers } from "./provider.ts";
import { type RuleName, rules } from "./rules.ts";
import { play } from "./world.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2" },
    seconds: { type: "string", default: "300" },
    weather: { type: "string", multiple: true, default: [...weathers] },
    rule: { type: "string", multiple: true, default: [...rules] },
    rate: { type: "string", multiple: true, default: ["2", "20", "100"] },
  },
});

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;
const columns = [
  "weather",
  "rule",
  "calls/s",
  "dead first",
  "retried",
  "raced",
  "no answer",
  "same channel",
  "p50",
  "p99",
  "probes",
];
const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

console.log(line(columns));
console.log(line(columns.map(() => "---")));
for (const weather of values.weather) {
  for (const rate of values.rate) {
    for (const rule of values.rule) {
      const outcomes = [];
      for (let seed = 1; seed <= Number(values.seeds); seed++) {
        const scenario = { weather: weather as Weather, rule: rule as RuleName, rate: Number(rate), seed };
        outcomes.push(
          await play({ ...scenario, calm_ms: 60_000, weather_ms: 1000 * Number(values.seconds) }),
        );
      }
      const { tried_dead, retried, raced, failed, stayed, p50, p99, claims } = figuresOf(outcomes);
      const shares = [tried_dead, retried, raced, failed, stayed].map(percent);
      console.log(line([weather, rule, rate, ...shares, seconds(p50), seconds(p99), String(claims)]));
    }
  }
}
