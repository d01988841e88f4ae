/** A body that is being made to fit a model. Only what is set changes, so it can be spliced into the client's bytes. */
import { type Fields, isAbsent, isObject } from "../../../base/json/fields.ts";

interface FittedChange {
  /** Its name in the protocol. */
  own: string;
  /** Its neutral name. Absent where a request that crossed still means the same. */
  neutral?: string | undefined;
}

export interface Fitted {
  body: Fields;
  changes: FittedChange[];
}

export interface Draft {
  /** The value at a dotted path, or undefined; `null` counts as absent. */
  at(path: string): unknown;
  /** Sets a path's value, and makes missing objects. Undefined takes it out, with objects that become empty. */
  set(path: string, value: unknown): void;
  /** Takes a member out, if it is there, and names it. */
  drop(path: string, neutral?: string): void;
  /** Names a change. */
  name(own: string, neutral?: string): void;
  fitted(): Fitted;
}

/** Begins a draft. `spelled` gives the one spelling of a key, where a protocol reads several. */
export function createDraft(body: Fields, spelled?: (key: string) => string): Draft {
  let now = body;
  const changes = new Map<string, FittedChange>();
  const keyIn = (fields: Fields, key: string): string =>
    !spelled || Object.hasOwn(fields, key)
      ? key
      : (Object.keys(fields).find((each) => spelled(each) === key) ?? key);
  const read = (fields: Fields, path: string): unknown => {
    const dot = path.indexOf(".");
    const value = fields[keyIn(fields, dot === -1 ? path : path.slice(0, dot))];
    if (dot === -1) return isAbsent(value) ? undefined : value;
    return isObject(value) ? read(value, path.slice(dot + 1)) : undefined;
  };
  const write = (fields: Fields, [key = "", ...rest]: string[], value: unknown): Fields => {
    const name = keyIn(fields, key);
    const inner = isObject(fields[name]) ? fields[name] : {};
    const next = rest.length === 0 ? value : write(inner, rest, value);
    const isEmpty = rest.length > 0 && value === undefined && Object.keys(next as Fields).length === 0;
    if (next !== undefined && !isEmpty) return { ...fields, [name]: next };
    const { [name]: _, ...others } = fields;
    return others;
  };
  const draft: Draft = {
    at: (path) => read(now, path),
    set(path, value) {
      if (draft.at(path) !== value) now = write(now, path.split("."), value);
    },
    drop(path, neutral) {
      if (draft.at(path) === undefined) return;
      draft.set(path, undefined);
      draft.name(path, neutral);
    },
    name(own, neutral) {
      changes.set(own, { own, neutral: changes.get(own)?.neutral ?? neutral });
    },
    fitted: () => ({ body: now, changes: [...changes.values()] }),
  };
  return draft;
}
