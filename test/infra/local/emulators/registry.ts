/** A registry of npm on loopback that has one package, for tests of what a machine without it does. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listen } from "#infra/local/emulators/listen.ts";

export interface Registry {
  url: string;
  /** The package's hash as npm writes it. */
  hash: string;
  /** How many archives it has begun to send. */
  sent(): number;
  /** From now on it sends half of the archive, and breaks off. */
  breakOff(isOn: boolean): void;
  stop(): Promise<void>;
}

/** Serves a package whose program `dynoxide` is this shell script. */
export async function startRegistry(name: string, version: string, script: string): Promise<Registry> {
  const archive = archiveOf(name, version, script);
  const hash = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  let sent = 0;
  let isBroken = false;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    if (path === `/${name}`) {
      const dist = { tarball: `${opened.url}/archive.tgz`, integrity: hash };
      const versions = { [version]: { name, version, os: ["none"], dist } };
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    } else if (path === "/archive.tgz") {
      sent++;
      response.writeHead(200, { "content-length": archive.length });
      if (isBroken) response.write(archive.subarray(0, archive.length / 2), () => response.destroy());
      else response.end(archive);
    } else {
      response.writeHead(404).end("{}");
    }
  });
  const opened = await listen(server, 0);
  return {
    url: opened.url,
    hash,
    sent: () => sent,
    breakOff: (isOn) => {
      isBroken = isOn;
    },
    stop: opened.stop,
  };
}

function archiveOf(name: string, version: string, script: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "registry-"));
  try {
    const content = join(folder, "package");
    mkdirSync(content);
    writeFileSync(join(content, "package.json"), JSON.stringify({ name, version }));
    writeFileSync(join(content, "dynoxide"), script);
    chmodSync(join(content, "dynoxide"), 0o644);
    execFileSync("tar", ["-czf", join(folder, "archive.tgz"), "-C", folder, "package"]);
    return readFileSync(join(folder, "archive.tgz"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
