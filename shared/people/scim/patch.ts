/** The operations of a PATCH (RFC 7644 §3.5.2), in the forms that providers send. */
import { type Fields, isAbsent, isObject } from "../../base/json/fields.ts";
import { scimLimits } from "./bounds.ts";
import { type AttributePath, readName, readPath } from "./path.ts";
import { ScimError } from "./scim-error.ts";

/** One attribute that is set, joined by another value, or taken away. */
export interface PatchStep {
  op: "add" | "replace" | "remove";
  path: AttributePath;
  value: unknown;
}

/**
 * The steps of a body. An operation without a path has an object of attributes, each of which may be a path itself.
 * Steps into extensions are left out. Throws `invalidSyntax`, `invalidPath`.
 */
export function readPatch(body: Fields): PatchStep[] {
  const operations = memberOf(body, "operations");
  const isList = Array.isArray(operations) && operations.length > 0;
  if (!isList || operations.length > scimLimits.operationsMax)
    throw syntax(`\`Operations\` must be a list of 1 to ${scimLimits.operationsMax} operations.`);
  return operations.flatMap(stepsOf);
}

function stepsOf(operation: unknown): PatchStep[] {
  const fields = isObject(operation) ? operation : {};
  const [given, path, value] = ["op", "path", "value"].map((name) => memberOf(fields, name));
  const said = typeof given === "string" ? given.toLowerCase() : "";
  const op = (["add", "replace", "remove"] as const).find((each) => each === said);
  if (!op) throw syntax("`op` must be add, replace or remove.");
  if (!isAbsent(path) && path !== "") {
    if (typeof path !== "string") throw syntax("`path` must be a string.");
    return stepAt(op, readPath(path), value);
  }
  if (op === "remove") throw new ScimError("invalid_request", "invalidPath", "A removal must have a path.");
  if (!isObject(value)) throw syntax("An operation without `path` must have an object as its `value`.");
  return stepsOfObject(op, value);
}

/** The attributes of an object, each as a step. A name that is no attribute's is left out (RFC 7644 §3.3). */
export function stepsOfObject(op: PatchStep["op"], value: Fields): PatchStep[] {
  return Object.entries(value).flatMap(([name, each]) => stepAt(op, readName(name), each));
}

function stepAt(op: PatchStep["op"], path: AttributePath | undefined, value: unknown): PatchStep[] {
  return path ? [{ op, path, value }] : [];
}

/** A member by its name in any case: providers differ in it. */
export function memberOf(fields: Fields, name: string): unknown {
  const own = Object.keys(fields).find((each) => each.toLowerCase() === name);
  return own === undefined ? undefined : fields[own];
}

function syntax(message: string): ScimError {
  return new ScimError("invalid_request", "invalidSyntax", message);
}
