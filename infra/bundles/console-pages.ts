/**
 * The pages of the console, as the build finds them (console/README.md "A new page"). A folder `console/pages/GROUP/NAME`
 * with a `view.tsx` is a page.
 */
import { existsSync, globSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import type { PageFacts } from "../../console/page.ts";

const root = join(import.meta.dirname, "../..");
const pages = join(root, "console/pages");
const require = createRequire(import.meta.url);

/** The files of a page, and what each exports. */
const files = {
  page: ["page.ts", "page"],
  view: ["view.tsx", "Page"],
  en: ["en.ts", "words"],
  zh: ["zh.ts", "words"],
};

/** What a page says of itself, by the name of its folder. */
type NamedPage = [name: string, facts: PageFacts];

/** What the customers' pages say of themselves. The sign-in, which has no path, says nothing. */
export function consolePages(): NamedPage[] {
  return factsOf((group) => group !== operatorsGroup);
}

/** What the operators' pages say of themselves. Their frame, which has no path, says nothing. */
export function operatorPages(): NamedPage[] {
  return factsOf((group) => group === operatorsGroup);
}

const operatorsGroup = "operators";

function factsOf(isWanted: (group: string) => boolean): NamedPage[] {
  const wanted = pagesWith("page.ts").filter((page) => isWanted(dirname(page)));
  return wanted.map((page) => {
    const { page: facts } = require(join(pages, page, "page.ts")) as { page: PageFacts };
    return [basename(page), facts];
  });
}

/**
 * Writes the modules that the console imports as `found:GROUP/FILE`, and gives their paths by these names. They lie at one
 * place of each checkout, because the bundler hashes the paths of modules too.
 */
export function foundModules(): Record<string, string> {
  const folder = join(root, ".local/console");
  mkdirSync(folder, { recursive: true });
  const modules: Record<string, string> = {};
  for (const [kind, [file = "", exported]] of Object.entries(files)) {
    for (const [group, members] of Map.groupBy(pagesWith(file), (page) => dirname(page))) {
      const path = join(folder, `${group}-${kind}.ts`);
      const imports = members.map((page, at) => {
        const from = JSON.stringify(relative(folder, join(pages, page, file)));
        return `import { ${exported} as _${at} } from ${from};`;
      });
      const found = members.map((page, at) => `${JSON.stringify(basename(page))}: _${at}`);
      write(path, `${imports.join("\n")}\nexport const found = { ${found.join()} };\n`);
      modules[`found:${group}/${kind}`] = path;
    }
  }
  return modules;
}

/** Whole or not at all, because another process may build the same. */
function write(path: string, text: string): void {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, text);
  renameSync(own, path);
}

/** The pages that have a file, as `GROUP/NAME`. What several pages share lies beside them and has no view. */
function pagesWith(file: string): string[] {
  const views = globSync("*/*/view.tsx", { cwd: pages }).toSorted();
  return views.map((view) => dirname(view)).filter((page) => existsSync(join(pages, page, file)));
}
