/**
 * The pages as files beside a bundle: what `/` says, the OpenAPI document and its reference page. They are compressed
 * here, once. The page's library is copied as it is (.github/CONTRIBUTING.md "Packages").
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { assetPrefix, pageNames } from "#shared/base/http/pages.ts";
import { agentBlocks, agentSetups } from "../../console/agents.ts";
import { keyVariable } from "../../console/sdk-programs.ts";
import { writeAbout } from "./about.ts";
import {
  type CompressionLevels,
  compressedFiles,
  type FileBytes,
  fileOf,
  type fileTypes,
  writeFiles,
} from "./kept-files.ts";
import { packageVersion } from "./package-version.ts";

/** The kept OpenAPI document; `npm run openapi` writes it. */
export const documentFile = join(import.meta.dirname, "../../shared/edges/openapi/openapi.json");

/** Writes the folder `pages` of `outdir`, with what `/health` says of the code and of the compiled `catalogFile`. */
export function writePages(outdir: string, catalogFile: string, compression: Compression = "small"): void {
  const folder = join(outdir, "pages");
  files[compression] ??= compressedFiles(pages(), levels[compression]);
  writeFiles(folder, files[compression]);
  writeAbout(folder, packageVersion(), catalogFile);
}

/** Every file of the folder. A process that makes several bundles compresses them once. */
const files: Partial<Record<Compression, ReturnType<typeof compressedFiles>>> = {};

/** How the pages are compressed: for callers far away, or for a start on this machine that somebody waits for. */
export type Compression = "small" | "quick";

/** Brotli's highest quality takes 8 s for the library and saves a tenth. */
const levels: Record<Compression, CompressionLevels> = {
  small: { brotli: 9, gzip: 9 },
  quick: { brotli: 1, gzip: 1 },
};

/** A file of the reference page, whose name changes with its bytes. `name` is without its extension. */
function assetOf(name: string, type: keyof typeof fileTypes, content: string | Buffer): FileBytes {
  const page = fileOf(name, type, content);
  return { ...page, name: `${assetPrefix}${name}-${page.hash}.${type}` };
}

/** Every page, from the kept document and the installed library. Throws where one of them is missing. */
export function pages(): FileBytes[] {
  const document = readFileSync(documentFile, "utf8");
  const parsed = JSON.parse(document) as { info: { title: string; version: string } };
  const { title, version } = parsed.info;
  const library = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const read = (name: string) => readFileSync(join(library, name));
  const style = assetOf("swagger-ui", "css", read("swagger-ui.css"));
  const own = assetOf("page", "css", ownStyle);
  const script = assetOf("swagger-ui", "js", read("swagger-ui-bundle.js"));
  const start = assetOf("start", "js", startScript);
  const notices = ["NOTICE", "LICENSE", "swagger-ui-bundle.js.LICENSE.txt"].map((name) => read(name));
  const licences = assetOf("licences", "txt", Buffer.concat(notices));
  const assets = { styles: [style, own], scripts: [script, start], licences };
  return [
    fileOf(pageNames["/openapi.json"], "json", JSON.stringify(parsed)),
    fileOf(pageNames.json, "json", JSON.stringify({ name: title, version, links }, undefined, 2)),
    fileOf(pageNames.html, "html", welcome({ title, version, style: own })),
    fileOf(pageNames["/docs"], "html", reference(title, assets)),
    ...[style, own, script, start, licences],
  ];
}

/** Where `/` leads to. Relative, because nobody has told the gateway its address. */
const links = {
  docs: "/docs",
  openapi: "/openapi.json",
  models: "/api/v1/models",
  health: "/health",
};

const addressOf = ({ name }: FileBytes) => `/docs/${name.slice(assetPrefix.length)}`;
const styleLink = (page: FileBytes) => `<link rel="stylesheet" href="${addressOf(page)}">`;

function html(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}
</head>
<body>
${body}
</body>
</html>
`;
}

function welcome({ title, version, style }: { title: string; version: string; style: FileBytes }): string {
  const body = `<main class="text">
<h1>${title}</h1>
<p>This is an API. Programs call it with the SDKs of OpenAI, Anthropic, Google, Volcengine and Zhipu, which need only its
address and an API key.</p>
<ul>
<li><a href="${links.docs}">Reference</a>: every route, with its errors</li>
<li><a href="${links.openapi}">OpenAPI document</a></li>
<li><a href="${links.models}">Models and prices</a></li>
</ul>
<p>Version ${version}</p>
</main>`;
  return html(title, styleLink(style), body);
}

interface Assets {
  styles: readonly FileBytes[];
  scripts: readonly FileBytes[];
  licences: FileBytes;
}

function reference(title: string, { styles, scripts, licences }: Assets): string {
  const body = `${setups()}
<div id="reference"></div>
<noscript><p class="text">This page needs JavaScript. The document itself is <a href="${links.openapi}">${links.openapi}</a>.</p></noscript>
<footer class="text"><a href="${addressOf(licences)}">Licences</a> of this page's parts</footer>
${scripts.map((page) => `<script src="${addressOf(page)}"></script>`).join("\n")}`;
  return html(`${title}: reference`, styles.map(styleLink).join("\n"), body);
}

/** The lines of each coding agent. The page's script puts the gateway's own address into them. */
function setups(): string {
  const call = { url: addressPlace, key: `$${keyVariable}` };
  const agents = agentSetups(call, () => "MODEL").map((agent) => {
    const blocks = agentBlocks(agent).map(({ file, text }) => {
      return `${file === undefined ? "" : `<p>${escaped(file)}</p>`}<pre>${escaped(text)}</pre>`;
    });
    return `<details><summary>${escaped(agent.name)}</summary>${blocks.join("")}</details>`;
  });
  return `<section class="text">
<h2>Coding agents</h2>
<p>MODEL is any of <a href="${links.models}">the models</a> that your key may call, and ${keyVariable} has the key.</p>
${agents.join("\n")}
</section>`;
}

/** Stands for the gateway's address, which nobody has told it. */
const addressPlace = "GATEWAY_URL";

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const ownStyle = `body { margin: 0; font-family: system-ui, sans-serif; line-height: 1.5; }
.text { max-width: 46rem; margin: 0 auto; padding: 1rem; }
pre { overflow-x: auto; padding: 0.5rem; background: #f4f4f4; }
footer.text { font-size: 0.8rem; text-align: center; }
`;

/** No validator of another site is asked, and a key that is typed in is forgotten with the page. */
const startScript = `for (const lines of document.querySelectorAll("pre")) {
  lines.textContent = lines.textContent.replaceAll("${addressPlace}", location.origin);
}
SwaggerUIBundle({
  url: "${links.openapi}",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: -1,
  validatorUrl: null,
  persistAuthorization: false,
});
`;
