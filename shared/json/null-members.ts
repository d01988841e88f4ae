/** Takes members that are null out of a JSON text as it streams. */

/** An object or array that stands open. */
interface Level {
  isObject: boolean;
  /** A member has left, so the next one needs its comma. */
  hasLeft: boolean;
}

export interface NullFilter {
  /** Takes a piece of the text, and gives what may leave of it. */
  push(piece: string): string;
  /** What still waits when the text ends in the middle of a member. */
  rest(): string;
}

/**
 * A filter of the members with these names whose value is null. The beginning of a member waits until its value begins,
 * and all else leaves as it comes. A text that is no JSON leaves as it is.
 */
export function createNullFilter(names: ReadonlySet<string>): NullFilter {
  const levels: Level[] = [];
  let place: "between" | "name" | "text" | "null" = "between";
  let wantsName = false;
  let name = "";
  let waiting = "";
  let isEscaped = false;

  /** The member stays. A comma that stood between it and members that are gone goes too. */
  const stays = (): string => {
    const level = levels.at(-1);
    const out = level?.hasLeft === false ? waiting.replace(",", "") : waiting;
    if (level) level.hasLeft = true;
    waiting = "";
    wantsName = false;
    return out;
  };
  const endsString = (char: string): boolean => {
    const ends = char === '"' && !isEscaped;
    isEscaped = char === "\\" && !isEscaped;
    return ends;
  };
  const readName = (char: string): string => {
    waiting += char;
    if (endsString(char)) place = "between";
    else name += char;
    return "";
  };
  const readText = (char: string): string => {
    if (endsString(char)) place = "between";
    return char;
  };
  const readNull = (char: string): string => {
    waiting += char;
    if (!waiting.endsWith("null")) return "";
    place = "between";
    waiting = "";
    return "";
  };
  const readBetween = (char: string): string => {
    if (char === '"') {
      place = wantsName ? "name" : "text";
      name = "";
      return wantsName ? readQuote() : stays() + char;
    }
    if (char === "{" || char === "[") {
      const out = stays() + char;
      levels.push({ isObject: char === "{", hasLeft: false });
      wantsName = char === "{";
      return out;
    }
    if (char === "}" || char === "]") {
      const out = waiting + char;
      levels.pop();
      [waiting, wantsName] = ["", false];
      return out;
    }
    return readOther(char);
  };
  const readQuote = (): string => {
    waiting += '"';
    wantsName = false;
    return "";
  };
  const readOther = (char: string): string => {
    if (char === "," && levels.at(-1)?.isObject) wantsName = true;
    else if (waiting.trim() === "" && !wantsName) return stays() + char;
    const mayWait = char === "," || char === ":" || char.trim() === "";
    if (mayWait) waiting += char;
    else if (char === "n" && isNamed()) {
      place = "null";
      waiting += char;
    } else return stays() + char;
    return "";
  };
  const isNamed = (): boolean => waiting.trimEnd().endsWith(":") && names.has(unescaped(name));

  const readers = { between: readBetween, name: readName, text: readText, null: readNull };
  return {
    push(piece) {
      let out = "";
      for (const char of piece) out += readers[place](char);
      return out;
    },
    rest: () => waiting,
  };
}

/** The text of a JSON string, or as it stands where it cannot be read. */
function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}
