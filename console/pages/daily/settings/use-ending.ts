import { useState } from "preact/hooks";
import { useAction } from "../../../load.ts";
import type { Problem } from "../../../problem.ts";

/** Ends one of a list by its id, and reads the list again. `ending` is the id of the one that ends now. */
export function useEnding(
  act: (id: string) => Promise<unknown>,
  reload: () => void,
): { end: (id: string) => Promise<void>; ending: string | undefined; problem: Problem | undefined } {
  const { run, problem } = useAction();
  const [ending, setEnding] = useState<string>();
  const end = async (id: string) => {
    setEnding(id);
    await run(() => act(id));
    setEnding(undefined);
    reload();
  };
  return { end, ending, problem };
}
