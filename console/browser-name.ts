/** What a browser says of itself, in two words that people know. */

const browsers = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["WeChat", /\bMicroMessenger\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:HeadlessChrome|Chrome|CriOS)\//],
  ["Safari", /\bSafari\//],
] as const;

const systems = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
] as const;

/** The browser and its system in a `user-agent`, each undefined where it is none that is known. */
export function browserNames(label: string): { browser: string | undefined; system: string | undefined } {
  const find = (known: readonly (readonly [string, RegExp])[]) =>
    known.find(([, form]) => form.test(label))?.[0];
  return { browser: find(browsers), system: find(systems) };
}
