/**
 * CloudWatch's metric math as this stack uses it: sums, products, `FILL`, `DIFF`, a lone `SEARCH` or query. All else is refused.
 */

/** A value for each of some instants; null where there is none. */
export type MetricValues = (number | null)[];

/** Gives a value of an expression, by the values of the metrics that it names. */
type Compute = (values: (id: string) => MetricValues) => MetricValues | number;

/** A search for all metrics of a name. */
interface Search {
  namespace: string;
  name: string;
  dimensions: string[];
  statistic: string;
}

const searchForm = /^SEARCH\('\{([^}]*)\} MetricName="([^"]+)"', '(\w+)'(?:, \d+)?\)$/;

/** What an expression searches for; undefined where it is no search. */
export function searchOf(expression: string): Search | undefined {
  const [, schema = "", name = "", statistic = ""] = searchForm.exec(expression) ?? [];
  const [namespace = "", ...dimensions] = schema.split(",").map((word) => word.trim().replace(/^"|"$/g, ""));
  return name === "" ? undefined : { namespace, name, dimensions, statistic };
}

/** A query for a sum of a metric, by the values of its dimension if it groups by one. */
interface MetricQuery {
  namespace: string;
  name: string;
  dimensions: string[];
  /** The only value of a dimension that counts. */
  where: Record<string, string>;
}

const queryForm =
  /^SELECT SUM\((\w+)\) FROM SCHEMA\("([^"]+)", ([\w, ]+)\)(?: WHERE (\w+) = '([^']+)')?(?: GROUP BY \3 ORDER BY SUM\(\) DESC)?$/;

/** What a query of Metrics Insights asks for, as the alarms of this stack use it; undefined where it is none. */
export function queryOf(expression: string): MetricQuery | undefined {
  const [found, name = "", namespace = "", dimensions = "", key = "", value = ""] =
    queryForm.exec(expression) ?? [];
  if (found === undefined) return undefined;
  return { namespace, name, dimensions: dimensions.split(", "), where: key === "" ? {} : { [key]: value } };
}

const token = /\s*(\d+(?:\.\d+)?|[A-Za-z_]\w*|[-+*/(),])/y;

const operators: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

/** An expression, ready to be computed, with the ids of the metrics in it. Throws on what is not known here. */
export function parseExpression(expression: string): { ids: string[]; compute: Compute } {
  const words = wordsOf(expression);
  const ids = new Set<string>();
  let at = 0;
  const refuse = (): never => {
    throw new Error(`the expression ${expression} cannot be read at ${words[at] ?? "its end"}`);
  };
  const take = (word: string) => (words[at] === word ? at++ : refuse());

  const chain = (signs: readonly string[], part: () => Compute): Compute => {
    let left = part();
    for (let sign = words[at]; sign !== undefined && signs.includes(sign); sign = words[at]) {
      at += 1;
      const [before, after, operator] = [left, part(), operators[sign] ?? refuse];
      left = (values) => combine(before(values), after(values), operator);
    }
    return left;
  };
  const sum = (): Compute => chain(["+", "-"], product);
  const product = (): Compute => chain(["*", "/"], single);
  const fill = (): Compute => {
    take("(");
    const filled = sum();
    take(",");
    const instead = Number(words[at++]);
    if (Number.isNaN(instead)) refuse();
    take(")");
    return (values) => combine(filled(values), 0, (value) => value).map((each) => each ?? instead);
  };
  const difference = (): Compute => {
    take("(");
    const grown = sum();
    take(")");
    return (values) => rise(grown(values));
  };
  const single = (): Compute => {
    const word = words[at++] ?? refuse();
    if (word === "(") {
      const inner = sum();
      take(")");
      return inner;
    }
    if (/^\d/.test(word)) return () => Number(word);
    if (word === "FILL") return fill();
    if (word === "DIFF") return difference();
    if (!/^[a-z]\w*$/.test(word)) refuse();
    ids.add(word);
    return (values) => values(word);
  };
  const compute = sum();
  if (at < words.length) refuse();
  return { ids: [...ids], compute };
}

function wordsOf(expression: string): string[] {
  const words: string[] = [];
  const text = expression.trimEnd();
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const from = token.lastIndex;
    const [, word] = token.exec(text) ?? [];
    if (word === undefined)
      throw new Error(`the expression ${expression} cannot be read at ${text.slice(from)}`);
    words.push(word);
  }
  return words;
}

/** Where one side has no value, or something is divided by nothing, there is none. */
function combine(
  one: MetricValues | number,
  other: MetricValues | number,
  of: (a: number, b: number) => number,
): MetricValues {
  const length = Array.isArray(one) ? one.length : Array.isArray(other) ? other.length : 1;
  const valueAt = (side: MetricValues | number, at: number) =>
    Array.isArray(side) ? (side[at] ?? null) : side;
  return Array.from({ length }, (_, at) => {
    const [a, b] = [valueAt(one, at), valueAt(other, at)];
    const value = a === null || b === null ? Number.NaN : of(a, b);
    return Number.isFinite(value) ? value : null;
  });
}

/** By how much each value is above the one before it. The first has none before it. */
function rise(values: MetricValues | number): MetricValues | number {
  if (!Array.isArray(values)) return 0;
  return combine(values, [null, ...values.slice(0, -1)], (value, before) => value - before);
}
