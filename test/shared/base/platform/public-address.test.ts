/** Which addresses a stranger's URL may lead to: every spelling of a closed one is refused. */
import type { lookup } from "node:dns";
import { describe, expect, test } from "vitest";
import {
  ClosedAddress,
  checkHost,
  isPublicAddress,
  publicLookup,
} from "#shared/base/platform/public-address.ts";

describe("an address that is not public", () => {
  test.each([
    ["loopback", "127.0.0.1"],
    ["this host", "0.0.0.0"],
    ["private, class A", "10.255.0.1"],
    ["private, class B", "172.31.255.255"],
    ["private, class C", "192.168.1.1"],
    ["of a carrier", "100.64.0.1"],
    ["link-local, with the metadata of AWS", "169.254.169.254"],
    ["of a task's credentials", "169.254.170.2"],
    ["for documentation", "203.0.113.7"],
    ["for measurements", "198.19.0.1"],
    ["multicast", "224.0.0.1"],
    ["reserved", "250.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["loopback", "::1"],
    ["unspecified", "::"],
    ["IPv4-mapped", "::ffff:127.0.0.1"],
    ["IPv4-mapped, of a public one", "::ffff:93.184.216.34"],
    ["IPv4-compatible", "::7f00:1"],
    ["NAT64", "64:ff9b::7f00:1"],
    ["local NAT64", "64:ff9b:1::1"],
    ["6to4", "2002:7f00:1::"],
    ["Teredo", "2001:0:4136:e378::1"],
    ["for documentation", "2001:db8::1"],
    ["for documentation", "3fff::1"],
    ["unique local, with the metadata of AWS", "fd00:ec2::254"],
    ["link-local", "fe80::1"],
    ["site-local", "fec0::1"],
    ["multicast", "ff02::1"],
    ["discard", "100::1"],
    ["no address", "example.com"],
  ])("%s: %s", (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

test.each([
  "93.184.216.34",
  "1.1.1.1",
  "172.15.0.1",
  "172.32.0.1",
  "100.63.0.1",
  "2606:4700:4700::1111",
  "2a00::1",
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://0177.0.0.1/",
  "https://127.1/",
  "https://0/",
  "https://0xA9FEA9FE/",
  "https://[::1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::ffff:169.254.169.254]/",
  "https://[64:ff9b::10.0.0.1]/",
  "https://①②⑦.0.0.1/",
])("%s is refused before anything is asked", (url) => {
  expect(() => checkHost(new URL(url))).toThrow(ClosedAddress);
});

/** A DNS that answers with these, one list after the other. */
function answers(...lists: { address: string; family: number }[][]): typeof lookup {
  const fake = (_: string, __: object, callback: (error: null, found: object) => void) =>
    callback(null, lists.shift() ?? []);
  return fake as unknown as typeof lookup;
}

const open = { address: "93.184.216.34", family: 4 };
const closed = { address: "10.0.0.1", family: 4 };

/** What a connection would be made to. */
function looked(resolve: typeof lookup, all: boolean): Promise<unknown> {
  return new Promise((resolved) => {
    publicLookup(resolve)("hooks.example.com", { all }, (error, address) => resolved(error ?? address));
  });
}

test("a name with public addresses leads to those that were checked", async () => {
  expect(await looked(answers([open]), true)).toEqual([open]);
  expect(await looked(answers([open]), false)).toBe(open.address);
});

test("one closed address among several refuses all", async () => {
  expect(await looked(answers([open, closed]), true)).toBeInstanceOf(ClosedAddress);
  expect(await looked(answers([]), true)).toBeInstanceOf(ClosedAddress);
});

test("a name that is bound anew between two connections is refused at the second", async () => {
  const resolve = answers([open], [closed]);
  expect(await looked(resolve, false)).toBe(open.address);
  expect(await looked(resolve, false)).toBeInstanceOf(ClosedAddress);
});
