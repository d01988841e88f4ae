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
  const waiting = createWaiting();
  /** How much of `null` has come. */
  let matched = 0;
  let isEscaped = false;

  const wait = waiting.add;

  /** The member stays. A comma that stood between it and members that are gone goes too. */
  const stays = (): string => {
    const level = levels.at(-1);
    const text = waiting.take();
    const out = level?.hasLeft === false ? text.replace(",", "") : text;
    if (level) level.hasLeft = true;
    wantsName = false;
    return out;
  };
  const endsString = (char: string): boolean => {
    const ends = char === '"' && !isEscaped;
    isEscaped = char === "\\" && !isEscaped;
    return ends;
  };
  const readName = (char: string): string => {
    if (endsString(char)) place = "between";
    else name += char;
    return wait(char);
  };
  const readText = (char: string): string => {
    if (endsString(char)) place = "between";
    return char;
  };
  const readNull = (char: string): string => {
    if (char !== "null"[matched]) {
      // It is no JSON, and leaves as it is.
      place = "between";
      return stays() + readBetween(char);
    }
    matched += 1;
    wait(char);
    if (matched < "null".length) return "";
    place = "between";
    waiting.take();
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
      const out = waiting.take() + char;
      levels.pop();
      wantsName = false;
      return out;
    }
    return readOther(char);
  };
  const readQuote = (): string => {
    wantsName = false;
    return wait('"');
  };
  const readOther = (char: string): string => {
    if (char === "," && levels.at(-1)?.isObject) wantsName = true;
    else if (waiting.isBlank() && !wantsName) return stays() + char;
    if (char === "," || char === ":" || char.trim() === "") return wait(char);
    if (char !== "n" || !waiting.endsWithColon() || !names.has(unescaped(name))) return stays() + char;
    [place, matched] = ["null", 1];
    return wait(char);
  };

  const readers = { between: readBetween, name: readName, text: readText, null: readNull };
  return {
    push(piece) {
      let out = "";
      for (const char of piece) out += readers[place](char);
      return out;
    },
    rest: () => waiting.text(),
  };
}

/**
 * The text that waits. It is never looked through again, or a model that writes spaces would take a time by their
 * square.
 */
function createWaiting() {
  let text = "";
  let isBlank = true;
  let afterColon = false;
  return {
    /** Gives what leaves, which is nothing. */
    add(char: string): string {
      text += char;
      if (char.trim() !== "") [isBlank, afterColon] = [false, char === ":"];
      return "";
    },
    take(): string {
      const taken = text;
      [text, isBlank, afterColon] = ["", true, false];
      return taken;
    },
    text: () => text,
    isBlank: () => isBlank,
    /** But for white space. */
    endsWithColon: () => afterColon,
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
