/** Where an audit is (`operator audit --resume`). The file is replaced as a whole, so it is never half written. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { newWalk, type Walked } from "#shared/edges/audit/walk.ts";

/** What an audit is about: the same file goes on with nothing else. */
interface Subject {
  /** The ledger's table and the usage queue. On AWS the queue's address names account and region too. */
  books: string;
  /** The first hour that is walked; null for all of them. */
  since: string | null;
}

interface KeptPlace extends Subject {
  format: typeof format;
  walked: Walked;
}

const format = "audit-1";
/** A place is written at most this often, milliseconds: what is lost is done again in less. */
const everyMs = 2_000;

/** A file that an audit keeps its place in. */
interface AuditPlace {
  /** What was walked already. */
  walked: Walked;
  /** Keeps the place, if the last time is long enough ago. */
  keep(walked: Walked): void;
  /** Removes the file: the audit has ended. */
  remove(): void;
}

/** Opens such a file, or begins anew where there is none. Throws where it is of another audit, or of none. */
export function openPlace(file: string, subject: Subject, now: () => number = Date.now): AuditPlace {
  const walked = existsSync(file) ? readPlace(file, subject) : newWalk();
  let keptAt = now();
  return {
    walked,
    keep(walked) {
      if (!walked.isDone && now() - keptAt < everyMs) return;
      keptAt = now();
      const kept: KeptPlace = { format, ...subject, walked };
      writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    remove: () => rmSync(file, { force: true }),
  };
}

function readPlace(file: string, subject: Subject): Walked {
  const kept = parse(readFileSync(file, "utf8"));
  if (!isPlace(kept)) throw new Error(`${file} is not the place of an audit: give another file`);
  if (kept.books !== subject.books) throw new Error(`${file} is the place of an audit of other books`);
  if (kept.since !== subject.since)
    throw new Error(
      `${file} is the place of an audit ${kept.since === null ? "without --since" : `since ${kept.since}`}`,
    );
  return kept.walked;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isPlace(kept: unknown): kept is KeptPlace {
  const { format: own, walked } = (kept ?? {}) as Partial<KeptPlace>;
  return (
    own === format &&
    typeof walked === "object" &&
    typeof walked.entries === "number" &&
    Array.isArray(walked.prices) &&
    Array.isArray(walked.places) &&
    typeof walked.gaps === "object" &&
    typeof walked.compared === "object"
  );
}
