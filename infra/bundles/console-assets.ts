/**
 * The console in the browser as files beside a bundle (console/README.md): code and styles with the hash of their bytes in
 * their names, and the page that loads them. esbuild bundles them, as it does the functions.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import {
  adminDocumentName,
  type ConsolePages,
  documentName,
  pagesName,
  programFile,
} from "#shared/edges/console/assets.ts";
import { consolePages, foundModules, operatorPages } from "./console-pages.ts";
import { compressedFiles, type FileBytes, fileOf, type fileTypes, writeFiles } from "./kept-files.ts";

const root = join(import.meta.dirname, "../..");
const outdir = join(root, "console/built");

/** The kept OpenAPI documents of the console and of the operators' API; `npm run openapi` writes them. */
export const consoleDocumentFile = join(root, "shared/edges/openapi/console.json");
export const adminDocumentFile = join(root, "shared/edges/openapi/admin.json");

const common = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  minify: true,
  jsx: "automatic",
  jsxImportSource: "preact",
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  publicPath: "/assets",
  legalComments: "none",
  charset: "utf8",
  metafile: true,
  write: false,
  logLevel: "warning",
} satisfies BuildOptions;

/** Writes the console's files into the folder `console` of `outdir`. The same sources give the same files. */
export function writeConsole(outdir: string): void {
  files ??= compressedFiles(consoleFiles(), { brotli: 11, gzip: 9 });
  writeFiles(join(outdir, "console"), files);
}

/** A process that makes several bundles builds them once. */
let files: ReturnType<typeof compressedFiles> | undefined;

/** Every file of the console. Throws where the code cannot be bundled. */
export function consoleFiles(): FileBytes[] {
  const worker = built({ entryPoints: ["console/human-worker.ts"] });
  const define = { HUMAN_WORKER: JSON.stringify(addressOf(worker, "human-worker")) };
  // As each part names the start, the start and what all pages share are one file, which compresses better than two.
  const mangleProps = new RegExp(`^(?:${wordNames().join("|")})$`);
  const code = built({
    entryPoints: ["console/main.tsx"],
    inject: ["console/main.tsx"],
    alias: foundModules(),
    define,
    mangleProps,
  });
  const style = built({ entryPoints: ["console/style.css"] });
  const icon = fileOf(`icon-${fileOf("", "svg", iconDrawing).hash.slice(0, 8)}.svg`, "svg", iconDrawing);
  const pages: ConsolePages = { paths: [...consolePages(), ...operatorPages()].map(([, { path }]) => path) };
  const index = indexPage({
    icon: `/assets/${icon.name}`,
    style: addressOf(style, "style"),
    script: addressOf(code, "main"),
    // What the first script imports is asked for at once, and not when the script has come.
    preloads: code.needed.map((name) => `/assets/${name}`),
  });
  const compact = (file: string) => JSON.stringify(JSON.parse(readFileSync(file, "utf8")));
  return [
    fileOf(documentName, "json", compact(consoleDocumentFile)),
    fileOf(adminDocumentName, "json", compact(adminDocumentFile)),
    fileOf(programFile, "js", terminalProgram()),
    fileOf("index.html", "html", index),
    fileOf(pagesName, "json", JSON.stringify(pages)),
    ...[icon, ...worker.files, ...code.files, ...style.files],
  ];
}

/** The program for a terminal as one file, which its readers can read. */
function terminalProgram(): Uint8Array {
  const { outputFiles: [file] = [] } = buildSync({
    ...common,
    splitting: false,
    platform: "node",
    target: "node18",
    minify: false,
    entryPoints: ["terminal/main.ts"],
  });
  if (!file) throw new Error("the program for a terminal has no code");
  return file.contents;
}

/**
 * The camelCase names of the words, which the build shortens: a browser loads them with the words and with the pages. They
 * are ours alone, because the API's names are snake_case. No code may read one by its text (test/console/house.test.ts).
 */
export function wordNames(): string[] {
  const texts = globSync(["console/words/en/*.ts", "console/pages/*/*/en.ts"], { cwd: root }).map((file) =>
    readFileSync(join(root, file), "utf8"),
  );
  const names = texts.flatMap((text) => [...text.matchAll(/^ +([a-z]+[A-Z]\w*):/gm)]);
  return [...new Set(names.map(([, name]) => name ?? ""))].toSorted();
}

interface Built {
  files: FileBytes[];
  /** The names of what the entry always imports. */
  needed: string[];
}

function built(options: BuildOptions): Built {
  const { outputFiles = [], metafile } = buildSync({ ...common, ...options });
  const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const files = outputFiles.map(({ path, contents }) => {
    const type = path.endsWith(".css") ? "css" : ("js" satisfies keyof typeof fileTypes);
    return fileOf(nameOf(path), type, contents);
  });
  const entry = Object.values(metafile?.outputs ?? {}).find(({ entryPoint }) => {
    return [options.entryPoints].flat().includes(entryPoint ?? "");
  });
  const imports = (entry?.imports ?? []).filter(({ kind }) => kind === "import-statement");
  return { files, needed: imports.map(({ path }) => nameOf(path)) };
}

function addressOf({ files }: Built, name: string): string {
  const found = files.find((file) => file.name.startsWith(`${name}-`));
  if (!found) throw new Error(`the console has no ${name}`);
  return `/assets/${found.name}`;
}

const iconDrawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0d6b52"/><path d="M7 23V12l9-6 9 6v11M13 23v-6l3-2 3 2v6" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

interface Links {
  icon: string;
  style: string;
  script: string;
  preloads: string[];
}

/** The server puts the stage's settings in the place of `{}` (shared/edges/console/assets.ts). */
function indexPage({ icon, style, script, preloads }: Links): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="settings" content="{}">
<meta name="color-scheme" content="light dark">
<title>Model gateway</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${style}">
${preloads.map((preload) => `<link rel="modulepreload" href="${preload}">`).join("\n")}
<script type="module" src="${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The console needs JavaScript. The API does not: read its documentation.</noscript>
</body>
</html>
`;
}
