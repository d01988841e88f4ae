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

/** A filter of null members with these names. A member waits until its value begins; all else leaves at once. */
export function createNullFilter(names: ReadonlySet<string>): NullFilter {
  const levels: Level[] = [];
  let place: "between" | "name" | "text" | "null" = "between";
  let wantsName = false;
  let name = "";
  const waiting = createWaiting();
  const endsString = createStringEnd();
  /** How much of `null` has come. */
  let matched = 0;

  const wait = waiting.add;
  const stays = (): string => {
    wantsName = false;
    return staying(waiting.take(), levels.at(-1));
  };
  const readString = (char: string): string => {
    const isName = place === "name";
    if (endsString(char)) place = "between";
    else if (isName) name += char;
    return isName ? wait(char) : char;
  };
  const readNull = (char: string): string => {
    if (char !== "null"[matched]) {
      // It is no JSON, and leaves as it is.
      place = "between";
      return stays() + readBetween(char);
    }
    matched += 1;
    if (matched < "null".length) return wait(char);
    place = "between";
    waiting.take();
    return "";
  };
  const readBetween = (char: string): string => {
    if (char === '"') return readQuote();
    if (char === "{" || char === "[") {
      const out = stays() + char;
      levels.push({ isObject: char === "{", hasLeft: false });
      wantsName = char === "{";
      return out;
    }
    if (char === "}" || char === "]") {
      levels.pop();
      wantsName = false;
      return waiting.take() + char;
    }
    return readOther(char);
  };
  const readQuote = (): string => {
    name = "";
    place = wantsName ? "name" : "text";
    if (!wantsName) return `${stays()}"`;
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

  const readers = { between: readBetween, name: readString, text: readString, null: readNull };
  return {
    push(piece) {
      let out = "";
      for (const char of piece) out += readers[place](char);
      return out;
    },
    rest: () => waiting.text(),
  };
}

/** The text of a member that stays. A comma that stood between it and members that are gone goes too. */
function staying(text: string, level: Level | undefined): string {
  const out = level?.hasLeft === false ? text.replace(",", "") : text;
  if (level) level.hasLeft = true;
  return out;
}

/** Says of each character of a string whether it ends the string. */
function createStringEnd(): (char: string) => boolean {
  let isEscaped = false;
  return (char) => {
    const ends = char === '"' && !isEscaped;
    isEscaped = char === "\\" && !isEscaped;
    return ends;
  };
}

/** The text that waits. It is never looked through again, or a model's spaces would take quadratic time. */
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
