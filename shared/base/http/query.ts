/** Checks of query parameters. Every name must be known and given once. One error names all that is wrong. */
import { GatewayError } from "../errors.ts";
import { limits } from "../limits.ts";

/** Reads one parameter, undefined where it was not given. Throws as `invalidField` does. */
type Reader<Value> = (given: string | undefined, name: string) => Value;

type Readers<Values> = { [Name in keyof Values]: Reader<Values[Name]> };

/** An `invalid_request` about one query parameter. */
export function invalidParameter(name: string, message: string): GatewayError {
  return invalidParameters([{ name, message }]);
}

/**
 * Reads a query by the readers of its parameters. Throws `invalid_request`, which names all that are unknown, given
 * twice or refused. Other errors of a reader are thrown as they are.
 */
export function readQuery<Values extends object>(query: URLSearchParams, readers: Readers<Values>): Values {
  const names = Object.keys(readers) as (keyof Values & string)[];
  const faults: Fault[] = [...new Set(query.keys())].flatMap((name) => {
    if (!Object.hasOwn(readers, name)) return [unknown(name, names)];
    return query.getAll(name).length > 1 ? [{ name, message: `\`${name}\` is given twice.` }] : [];
  });
  const values: Partial<Values> = {};
  for (const name of names) {
    if (faults.some((fault) => fault.name === name)) continue;
    try {
      values[name] = readers[name](query.get(name) ?? undefined, name);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.key !== "invalid_request") throw error;
      faults.push({ name, message: error.message });
    }
  }
  if (faults.length > 0) throw invalidParameters(faults.slice(0, limits.queryFaultsMax));
  return values as Values;
}

interface Fault {
  name: string;
  message: string;
}

function invalidParameters(faults: Fault[]): GatewayError {
  return new GatewayError("invalid_request", {
    message: faults.map(({ message }) => message).join(" "),
    ...(faults[0] && { param: faults[0].name }),
    fields: faults.map(({ name, message }) => ({ location: `query.${name}`, message })),
  });
}

/** How many characters of an unknown name the error repeats. */
const nameCharsMax = 64;

function unknown(given: string, names: string[]): Fault {
  const name = given.slice(0, nameCharsMax);
  const known = names.map((each) => `\`${each}\``).join(", ");
  const takes = names.length === 0 ? "This route takes no parameters." : `This route takes ${known}.`;
  return { name, message: `The parameter \`${name}\` is unknown. ${takes}` };
}
