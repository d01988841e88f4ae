/**
 * The browser of these tests. `npm ci` brings none, because one has 66 MB: it is installed into `.local/browser` when
 * it is first asked for, or `CHROMIUM` names the machine's.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Playwright } from "./playwright.ts";

const folder = join(import.meta.dirname, "../../.local/browser");
const packages = { "playwright-core": "1.65.1", "@sparticuz/chromium": "153.0.0" };

/** Where the browser and what drives it are. */
export interface Found {
  /** The folder whose packages are used. */
  folder: string;
  executable: string;
}

/** Finds the browser, and installs it where it is not there. Rejects with what is missing. */
export async function findChromium(say: (line: string) => void): Promise<Found> {
  const own = process.env.CHROMIUM;
  if (own !== undefined && !existsSync(own)) throw new Error(`CHROMIUM names ${own}, which is not there`);
  const wanted = own === undefined ? packages : { "playwright-core": packages["playwright-core"] };
  const missing = Object.keys(wanted).filter((name) => !existsSync(join(folder, "node_modules", name)));
  if (missing.length > 0) {
    say(`Installing ${missing.join(" and ")} into .local/browser …`);
    await install(wanted);
  }
  if (own !== undefined) {
    say(`The browser is ${own}.`);
    return { folder, executable: own };
  }
  const { default: packed } = (await import(from("@sparticuz/chromium"))) as {
    default: { executablePath(): Promise<string> };
  };
  const executable = await packed.executablePath();
  say(`The browser is ${executable}, from @sparticuz/chromium ${packages["@sparticuz/chromium"]}.`);
  return { folder, executable };
}

function from(name: string): string {
  return createRequire(join(folder, "package.json")).resolve(name);
}

async function install(wanted: Record<string, string>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "browser-of-tests", private: true, dependencies: wanted };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, undefined, 2));
  const child = spawn(
    "npm",
    ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"],
    {
      cwd: folder,
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error("npm could not install the browser: is there a network?");
}

/**
 * Starts the browser. The package's own arguments are for Lambda: among them are one process for everything, and no
 * policy of same origin, which these tests are about.
 */
export async function launch({ executable }: Found): Promise<Browser> {
  const { chromium } = (await import(from("playwright-core"))) as Playwright;
  // Without a user of its own in a container, it has no sandbox to give its pages.
  const args = ["--no-sandbox", "--font-render-hinting=none"];
  return await chromium.launch({ executablePath: executable, args });
}
