import type { ComponentChildren } from "preact";
import type { Loading } from "../load.ts";
import { frameWords } from "../words.ts";
import { ProblemNote } from "./note.tsx";

/** Grey lines in the place of what is read. They are shown after a moment, so that quick answers do not flicker. */
export function Progress({ lines = 4 }: { lines?: number }) {
  return (
    <div class="progress" role="status">
      <span class="unseen">{frameWords.value.loading}</span>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} class="line" aria-hidden="true" />
      ))}
    </div>
  );
}

interface LoadedProps<Value> {
  of: Loading<Value>;
  lines?: number;
  children: (value: Value) => ComponentChildren;
}

/** What was read, or progress, or the problem. A value stays while the next one is read, also if that fails. */
export function Loaded<Value>({ of, lines, children }: LoadedProps<Value>) {
  const { value, problem, reload } = of;
  if (value === undefined)
    return problem ? <ProblemNote problem={problem} onAgain={reload} /> : <Progress lines={lines} />;
  return (
    <>
      {problem && <ProblemNote problem={problem} onAgain={reload} />}
      {children(value)}
    </>
  );
}
