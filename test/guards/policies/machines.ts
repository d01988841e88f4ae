/** The first start on a machine: its database's program where the lock file has none for it, and its bundles. */
import type { Row } from "#test/guards/guard.ts";

const program = "infra/local/emulators/database-program";

export const machines: Row[] = [
  {
    id: "machines-1",
    rule: "a program with another hash than the repository's is neither kept nor run",
    test: `${program} › of a package with another hash than the repository's`,
    guard: "const expected = hashes[spec] ?? seen[spec];",
    without: "const expected = seen[spec];",
  },
  {
    id: "machines-2",
    rule: "where the repository knows no hash, the first one holds from then on",
    test: `${program} › of a package with another hash than the first one`,
    guard: "const expected = hashes[spec] ?? seen[spec];",
    without: "const expected = hashes[spec];",
  },
  {
    id: "machines-3",
    rule: "what was fetched once is never asked for again",
    test: `${program} › a package with the right hash is fetched once, and works offline from then on`,
    guard: "if (existsSync(program)) return program;",
    without: "",
  },
  {
    id: "machines-4",
    rule: "a download that broke off leaves nothing behind",
    test: `${program} › of half a download, and the next start gets the whole`,
    guard: "rmSync(partial, { recursive: true, force: true });",
    in: "emulators/database-program.ts",
    without: "",
  },
  {
    id: "machines-5",
    rule: "a function that is invoked before its bundle is there waits for it",
    test: "infra/local/start/first-start › it answers at once, books the call, opens the console, and is kept for the next start",
    guard: "await whenBundled?.(resource.directory);",
    without: "",
  },
];
