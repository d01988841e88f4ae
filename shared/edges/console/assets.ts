/**
 * The console's files for the browser (console/README.md). The page names the stage's settings, so each process makes
 * it.
 */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { folderOf, type KeptFolder, keptReply, readOnce } from "../../base/http/kept-files.ts";
import { keptText } from "../../base/http/kept-text.ts";
import type { HttpReply } from "../../base/http/message.ts";
import type { ConsoleRequest } from "./call.ts";
import type { ConsoleSettings } from "./settings.ts";

/** The file that says which paths are pages. */
export const pagesName = "pages.json";

/** The OpenAPI document of the console's routes (edges/openapi/README.md), in the folder and at the top of the host. */
export const documentName = "openapi.json";

/** The OpenAPI document of the operators' API, likewise. */
export const adminDocumentName = "admin-openapi.json";

export interface ConsolePages {
  /** Each with what follows it: `/calls` and `/calls/req_1`. */
  paths: readonly string[];
}

/** The program for a terminal (terminal/README.md), in the folder and at the top of the host. */
export const programFile = "gateway.mjs";

interface AssetDeps {
  folder: string;
  settings: ConsoleSettings;
}

const always = {
  "x-content-type-options": "nosniff",
  "strict-transport-security": "max-age=31536000",
};

/** The page may load our files, ask us and the gateway, and nothing else. Nobody may frame it. */
export function contentSecurityPolicy(gateway: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${gateway === "" ? "" : ` ${new URL(gateway).origin}`}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types worker",
  ].join("; ");
}

/**
 * Answers GET and HEAD. Gives a browser the page also for unknown paths, with 404. Undefined: the request is for no
 * file. Rejects when the folder cannot be read.
 */
export function createAssets(
  deps: AssetDeps,
): (request: Pick<ConsoleRequest, "id" | "method" | "path" | "headers">) => Promise<HttpReply | undefined> {
  const page = createPage(deps);
  return async ({ id, method, path, headers }) => {
    if ((method !== "GET" && method !== "HEAD") || path.startsWith("/api/")) return undefined;
    const folder = await folderOf(deps.folder);
    const common = { "x-request-id": id, ...always };
    if (path.startsWith("/assets/")) {
      // Names are looked up in the index, so a path leads to no other file.
      const name = path.slice("/assets/".length);
      // A file has the hash of its bytes in its name.
      const kept = { vary: "accept-encoding", "cache-control": "public, max-age=31536000, immutable" };
      return await keptReply({ name, headers, common: { ...common, ...kept }, html: {} }, folder);
    }
    const atTop = [documentName, adminDocumentName, programFile].find((name) => path === `/${name}`);
    if (atTop !== undefined) {
      const kept = { vary: "accept-encoding", "cache-control": "no-cache" };
      return await keptReply({ name: atTop, headers, common: { ...common, ...kept }, html: {} }, folder);
    }
    const { paths, reply } = await page(folder);
    const isPage = path === "/" || paths.includes(/^\/[^/]+/.exec(path)?.[0] ?? "");
    if (!isPage && !headers.accept?.includes("text/html")) return undefined;
    return reply(headers, isPage ? 200 : 404, common);
  };
}

interface Page extends ConsolePages {
  reply: (headers: ConsoleRequest["headers"], status: number, common: Record<string, string>) => HttpReply;
}

const inflate = promisify(gunzip);

function createPage({ folder: path, settings }: AssetDeps): (folder: KeptFolder) => Promise<Page> {
  const made = new Map<string, Promise<Page>>();
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy(settings.gateway_url),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
  };
  const make = async ({ read }: KeptFolder): Promise<Page> => {
    const [html, pages] = await Promise.all([read("index.html.gz"), read(`${pagesName}.gz`)].map(unpack));
    const { paths } = JSON.parse(pages ?? "") as ConsolePages;
    const kept = keptText(withSettings(html ?? "", settings));
    return {
      paths,
      reply: (asked, status, common) => {
        // What is no page is told again each time.
        const known = status === 200 ? asked : { ...asked, "if-none-match": undefined };
        const said = { ...common, "cache-control": "no-cache" };
        return { ...kept(known, { said, own: headers }), ...(status !== 200 && { status }) };
      },
    };
  };
  return (folder) => readOnce(made, path, () => make(folder));
}

const unpack = async (bytes: Promise<Buffer>): Promise<string> => (await inflate(await bytes)).toString();

/** The page with the stage's settings in its `<meta name="settings">`, as the value of an attribute. */
function withSettings(html: string, settings: ConsoleSettings): string {
  const text = JSON.stringify(settings)
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;");
  return html.replace('name="settings" content="{}"', () => `name="settings" content="${text}"`);
}
