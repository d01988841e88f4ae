/** What several processes of a run need and one of them builds: the others wait for it. */
import { existsSync, mkdirSync, rmdirSync, watch } from "node:fs";
import { dirname } from "node:path";

/**
 * Acts at once where `kept` is there. Otherwise the first process acts, and what it does makes `kept`; whoever comes
 * meanwhile acts when the first is done, whether it has made `kept` or failed.
 */
export async function buildOnce<Value>(kept: string, act: () => Promise<Value>): Promise<Value> {
  const mark = `${kept}.building`;
  if (existsSync(kept)) return await act();
  if (!marked(mark)) {
    await gone(mark);
    return await act();
  }
  try {
    return await act();
  } finally {
    rmdirSync(mark);
  }
}

/** Makes the mark; false where it is there already. */
function marked(mark: string): boolean {
  try {
    mkdirSync(mark);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function gone(mark: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(mark));
    const look = () => {
      if (existsSync(mark)) return;
      watcher.close();
      resolve();
    };
    watcher.on("change", look);
    look();
  });
}
