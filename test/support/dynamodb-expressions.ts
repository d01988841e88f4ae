/**
 * The part of DynamoDB's expression language that the store speaks, compiled once for each text. Whatever is
 * beyond it throws, so that a new kind of expression fails a test instead of being read wrongly.
 */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Item } from "#shared/edges/store/dynamodb/attributes.ts";
import { addNumbers, compareNumbers, normalNumber } from "./dynamodb-number.ts";

/** What an expression's placeholders stand for. */
export interface Placeholders {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

type Test = (item: Item, placeholders: Placeholders) => boolean;
type Operand = (item: Item, placeholders: Placeholders) => AttributeValue | undefined;

const tests = new Map<string, Test>();
const updates = new Map<string, Update>();

/** Whether the item meets the condition. An absent expression is met. */
export function meets(expression: string | undefined, item: Item, placeholders: Placeholders): boolean {
  if (expression === undefined) return true;
  return remembered(tests, expression, compileTest)(item, placeholders);
}

/** The item after an update expression. The one given is left alone. */
export function updated(expression: string, item: Item, placeholders: Placeholders): Item {
  return remembered(updates, expression, compileUpdate)(item, placeholders);
}

function remembered<Value>(known: Map<string, Value>, text: string, compile: (text: string) => Value): Value {
  let value = known.get(text);
  if (value === undefined) {
    value = compile(text);
    known.set(text, value);
  }
  return value;
}

type Update = (item: Item, placeholders: Placeholders) => Item;

const tokenPattern = /\s*([#:]?\w+|<>|<=|>=|[=<>(),+-])/y;

/** The words and signs of an expression, taken one after the other. */
class Tokens {
  readonly #all: string[] = [];
  #at = 0;

  constructor(text: string) {
    tokenPattern.lastIndex = 0;
    let end = 0;
    for (let hit = tokenPattern.exec(text); hit; hit = tokenPattern.exec(text)) {
      this.#all.push(hit[1] ?? "");
      end = tokenPattern.lastIndex;
    }
    if (text.slice(end).trim() !== "") throw new SyntaxError(`not understood: ${text.slice(end)}`);
  }

  peek(): string | undefined {
    return this.#all[this.#at];
  }

  take(): string {
    const token = this.#all[this.#at++];
    if (token === undefined) throw new SyntaxError("an expression ends too soon");
    return token;
  }

  /** Takes the next token if it is this one. */
  has(token: string): boolean {
    if (this.peek()?.toUpperCase() !== token) return false;
    this.#at += 1;
    return true;
  }

  expect(token: string): void {
    if (!this.has(token)) throw new SyntaxError(`${token} expected, not ${this.peek()}`);
  }
}

function compileTest(text: string): Test {
  const tokens = new Tokens(text);
  const test = disjunction(tokens);
  if (tokens.peek() !== undefined) throw new SyntaxError(`too much: ${tokens.peek()}`);
  return test;
}

function disjunction(tokens: Tokens): Test {
  const parts = [conjunction(tokens)];
  while (tokens.has("OR")) parts.push(conjunction(tokens));
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return (item, placeholders) => parts.some((part) => part(item, placeholders));
}

function conjunction(tokens: Tokens): Test {
  const parts = [negation(tokens)];
  while (tokens.has("AND")) parts.push(negation(tokens));
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return (item, placeholders) => parts.every((part) => part(item, placeholders));
}

function negation(tokens: Tokens): Test {
  if (tokens.has("NOT")) {
    const inner = negation(tokens);
    return (item, placeholders) => !inner(item, placeholders);
  }
  if (tokens.has("(")) {
    const inner = disjunction(tokens);
    tokens.expect(")");
    return inner;
  }
  return comparison(tokens);
}

type Value = AttributeValue | undefined;

const functions: Record<string, (value: Value, second: Value) => boolean> = {
  attribute_exists: (value) => value !== undefined,
  attribute_not_exists: (value) => value === undefined,
  begins_with: (value, start) =>
    value?.S !== undefined && start?.S !== undefined && value.S.startsWith(start.S),
};

/** One of a list in parentheses. */
function membership(tokens: Tokens, left: ReturnType<typeof operand>): Test {
  tokens.expect("(");
  const listed = [operand(tokens)];
  while (tokens.has(",")) listed.push(operand(tokens));
  tokens.expect(")");
  const equal = signs["="];
  return (item, placeholders) =>
    listed.some((each) => equal?.(left(item, placeholders), each(item, placeholders)) ?? false);
}

function comparison(tokens: Tokens): Test {
  const name = tokens.peek() ?? "";
  const known = functions[name];
  if (known) {
    const [first, second] = call(tokens);
    return (item, placeholders) => known(first?.(item, placeholders), second?.(item, placeholders));
  }
  const left = operand(tokens);
  const sign = tokens.take().toUpperCase();
  if (sign === "IN") return membership(tokens, left);
  const right = operand(tokens);
  if (sign === "BETWEEN") {
    tokens.expect("AND");
    const last = operand(tokens);
    return (item, placeholders) => {
      const value = left(item, placeholders);
      return (
        order(value, right(item, placeholders), (sign) => sign >= 0) &&
        order(value, last(item, placeholders), (sign) => sign <= 0)
      );
    };
  }
  const holds = signs[sign];
  if (!holds) throw new SyntaxError(`unknown comparison ${sign}`);
  return (item, placeholders) => holds(left(item, placeholders), right(item, placeholders));
}

const signs: Record<string, (a: AttributeValue | undefined, b: AttributeValue | undefined) => boolean> = {
  "=": (a, b) => same(a, b),
  "<>": (a, b) => a !== undefined && !same(a, b),
  "<": (a, b) => order(a, b, (sign) => sign < 0),
  "<=": (a, b) => order(a, b, (sign) => sign <= 0),
  ">": (a, b) => order(a, b, (sign) => sign > 0),
  ">=": (a, b) => order(a, b, (sign) => sign >= 0),
};

function same(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.N !== undefined && b.N !== undefined) return compareNumbers(a.N, b.N) === 0;
  if (a.S !== undefined && b.S !== undefined) return a.S === b.S;
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Values of different types have no order, and neither has an attribute that is not there. */
function order(
  a: AttributeValue | undefined,
  b: AttributeValue | undefined,
  wanted: (sign: number) => boolean,
) {
  if (a === undefined || b === undefined) return false;
  if (a.N !== undefined && b.N !== undefined) return wanted(compareNumbers(a.N, b.N));
  if (a.S !== undefined && b.S !== undefined) return wanted(a.S < b.S ? -1 : a.S > b.S ? 1 : 0);
  return false;
}

function operand(tokens: Tokens): Operand {
  if (tokens.peek() === "if_not_exists") {
    const [value, instead] = call(tokens);
    return (item, placeholders) => value?.(item, placeholders) ?? instead?.(item, placeholders);
  }
  const token = tokens.take();
  if (token.startsWith(":")) {
    return (_, { ExpressionAttributeValues }) => {
      const value = ExpressionAttributeValues?.[token];
      if (value === undefined) throw new SyntaxError(`${token} stands for nothing`);
      return value;
    };
  }
  return (item, placeholders) => item[nameOf(token, placeholders)];
}

function call(tokens: Tokens): Operand[] {
  tokens.take();
  tokens.expect("(");
  const args = [operand(tokens)];
  while (tokens.has(",")) args.push(operand(tokens));
  tokens.expect(")");
  return args;
}

function nameOf(token: string, { ExpressionAttributeNames }: Placeholders): string {
  if (!token.startsWith("#")) return token;
  const name = ExpressionAttributeNames?.[token];
  if (name === undefined) throw new SyntaxError(`${token} stands for nothing`);
  return name;
}

/** Changes `after`; every value is read from the item as it was before. */
type Step = (before: Item, after: Item, placeholders: Placeholders) => void;

function compileUpdate(text: string): Update {
  const tokens = new Tokens(text);
  const steps: Step[] = [];
  while (tokens.peek() !== undefined) {
    const verb = tokens.take().toUpperCase();
    const clause = clauses[verb];
    if (!clause) throw new SyntaxError(`unknown clause ${verb}`);
    do {
      steps.push(clause(tokens));
    } while (tokens.has(","));
  }
  return (item, placeholders) => {
    const after = { ...item };
    for (const step of steps) step(item, after, placeholders);
    return after;
  };
}

const clauses: Record<string, (tokens: Tokens) => Step> = {
  SET(tokens) {
    const name = tokens.take();
    tokens.expect("=");
    const value = operand(tokens);
    return (before, after, placeholders) => {
      const found = value(before, placeholders);
      if (!found) throw new SyntaxError("the provided expression refers to an attribute that does not exist");
      after[nameOf(name, placeholders)] = normal(found);
    };
  },
  ADD(tokens) {
    const name = tokens.take();
    const amount = operand(tokens);
    return (before, after, placeholders) => {
      const added = amount(before, placeholders);
      const attribute = nameOf(name, placeholders);
      const old = before[attribute] ?? { N: "0" };
      if (added?.N === undefined || old.N === undefined)
        throw new SyntaxError(`ADD wants numbers: ${attribute}`);
      after[attribute] = { N: addNumbers(old.N, added.N) };
    };
  },
  REMOVE(tokens) {
    const name = tokens.take();
    return (_, after, placeholders) => void delete after[nameOf(name, placeholders)];
  },
};

/** An attribute as the database keeps it: its numbers in their normal form, inside lists and maps too. */
function normal(attribute: AttributeValue): AttributeValue {
  if (attribute.N !== undefined) {
    const text = normalNumber(attribute.N);
    return text === attribute.N ? attribute : { N: text };
  }
  if (attribute.L !== undefined) return { L: attribute.L.map(normal) };
  if (attribute.M !== undefined) return { M: normalItem(attribute.M) };
  return attribute;
}

export function normalItem(item: Item): Item {
  const kept = { ...item };
  for (const name of Object.keys(kept)) kept[name] = normal(kept[name] as AttributeValue);
  return kept;
}
