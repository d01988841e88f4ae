/** What a page reads: once, again on wish, or every few seconds while somebody looks. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ConsoleAnswer, ConsoleOperationOf, ConsolePath } from "../shared/edges/openapi/route-types.ts";
import { asProblem, type Problem } from "./problem.ts";
import { api, epoch } from "./session.ts";

export interface Loading<Value> {
  /** The newest one that came. It stays while the next is read. */
  value: Value | undefined;
  /** Of the newest try, if that failed. */
  problem: Problem | undefined;
  isReading: boolean;
  reload: () => void;
}

interface Options<Value> {
  /** Reads again this long after each answer, while the tab is visible. */
  everyMs?: number;
  /** Whether a value is the last one, after which nothing is read again by itself. */
  until?: (value: Value) => boolean;
}

interface State<Value> extends Omit<Loading<Value>, "reload"> {
  key: string;
}

/** Reads a value, and again whenever `key` or the organization changes. `isQuiet`: the read is one of a poll. */
export function useLoad<Value>(
  read: (asked: { signal: AbortSignal; isQuiet: boolean }) => Promise<Value>,
  key: string,
  { everyMs, until }: Options<Value> = {},
): Loading<Value> {
  const full = `${epoch.value} ${key}`;
  const [state, setState] = useState<State<Value>>(begun(full));
  const [turn, setTurn] = useState(0);
  const latest = useRef({ read, until });
  latest.current = { read, until };
  const isPoll = useRef(false);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = () => {
      if (everyMs === undefined || stop.signal.aborted) return;
      timer = setTimeout(() => (document.hidden ? next() : again()), everyMs);
    };
    const again = () => {
      isPoll.current = true;
      setTurn((now) => now + 1);
    };
    const asked = { signal: stop.signal, isQuiet: isPoll.current };
    isPoll.current = false;
    setState((before) => ({ ...kept(before, full), isReading: true }));
    latest.current.read(asked).then(
      (value) => {
        if (stop.signal.aborted) return;
        setState({ key: full, value, problem: undefined, isReading: false });
        if (!latest.current.until?.(value)) next();
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setState((before) => ({ ...kept(before, full), problem: asProblem(error), isReading: false }));
        next();
      },
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [full, turn, everyMs]);
  const reload = useCallback(() => setTurn((now) => now + 1), []);
  return { ...kept(state, full), reload };
}

/** Reads what an operation answers at a path, and again whenever the path changes. */
export function useRead<By extends ConsoleOperationOf<"GET">>(
  path: ConsolePath<By>,
  options?: Options<ConsoleAnswer<By>>,
): Loading<ConsoleAnswer<By>> {
  return useLoad((asked) => api.get<By>(path, asked), path, options);
}

/** A state as far as it is of this key. */
function kept<Value>(state: State<Value>, key: string): State<Value> {
  return state.key === key ? state : begun(key);
}

const begun = (key: string) => ({ key, value: undefined, problem: undefined, isReading: true });

/** A write that a button starts: whether it runs, and what went wrong. Gives undefined where it failed. */
export function useAction(): {
  isRunning: boolean;
  problem: Problem | undefined;
  run: <Value>(act: () => Promise<Value>) => Promise<Value | undefined>;
  clear: () => void;
} {
  const [state, setState] = useState<{ isRunning: boolean; problem?: Problem }>({ isRunning: false });
  const run = useCallback(async <Value>(act: () => Promise<Value>): Promise<Value | undefined> => {
    setState({ isRunning: true });
    try {
      const value = await act();
      setState({ isRunning: false });
      return value;
    } catch (error) {
      setState({ isRunning: false, problem: asProblem(error) });
      return undefined;
    }
  }, []);
  const clear = useCallback(() => setState({ isRunning: false }), []);
  return { isRunning: state.isRunning, problem: state.problem, run, clear };
}
