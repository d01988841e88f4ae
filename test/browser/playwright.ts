/** As much of playwright-core's interface as these tests use. The package is installed only to run them (chromium.ts). */

interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  check(options?: { force?: boolean }): Promise<void>;
  count(): Promise<number>;
  first(): Locator;
  nth(at: number): Locator;
  innerText(): Promise<string>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  isVisible(): Promise<boolean>;
  isChecked(): Promise<boolean>;
  press(key: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  setInputFiles(files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void>;
  allInnerTexts(): Promise<string[]>;
  waitFor(options?: { state?: "visible" | "hidden" | "attached" }): Promise<void>;
  locator(selector: string): Locator;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
}

export interface Page {
  goto(url: string, options?: { waitUntil?: "load" | "networkidle" | "commit" }): Promise<unknown>;
  goBack(): Promise<unknown>;
  reload(): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  content(): Promise<string>;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  /** The value of an expression in the page. It is not held to the page's policy. */
  evaluate<Value>(expression: string): Promise<Value>;
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  emulateMedia(media: { colorScheme: "light" | "dark" }): Promise<void>;
  waitForLoadState(state: "networkidle"): Promise<void>;
  waitForURL(url: RegExp): Promise<void>;
  waitForEvent(event: "download"): Promise<{ path(): Promise<string>; suggestedFilename(): string }>;
  waitForResponse(wanted: (answer: Answered) => boolean): Promise<Answered>;
  mouse: { move(x: number, y: number): Promise<void> };
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  on(event: "console", listener: (message: ConsoleMessage) => void): void;
  on(event: "pageerror", listener: (error: Error) => void): void;
  on(event: "response", listener: (answer: Answered) => void): void;
  on(event: "request", listener: (request: { url(): string }) => void): void;
  on(event: "dialog", listener: (dialog: { dismiss(): Promise<void> }) => void): void;
  close(): Promise<void>;
}

interface ConsoleMessage {
  type(): string;
  text(): string;
  location(): { url: string };
}

export interface Answered {
  url(): string;
  status(): number;
  request(): { method(): string; headers(): Record<string, string> };
  json(): Promise<unknown>;
}

export interface Route {
  fulfill(answer: {
    status?: number;
    contentType?: string;
    headers?: Record<string, string>;
    body: string;
  }): Promise<void>;
  continue(): Promise<void>;
  fetch(): Promise<{ json(): Promise<unknown>; status(): number }>;
  request(): { url(): string; postData(): string | null };
}

export interface Context {
  newPage(): Promise<Page>;
  /** A session of the browser's own protocol, such as for slow networks. */
  newCDPSession(page: Page): Promise<{ send(method: string, parameters?: object): Promise<unknown> }>;
  setOffline(isOffline: boolean): Promise<void>;
  waitForEvent(event: "page"): Promise<Page>;
  clearCookies(): Promise<void>;
  cookies(): Promise<{ name: string; value: string; httpOnly: boolean; secure: boolean; sameSite: string }[]>;
  addInitScript(act: () => void): Promise<void>;
  route(url: string | RegExp, act: (route: Route) => Promise<void>): Promise<void>;
  /** It waits for answers that are being made: `unroute` takes them away from a route, which then fails. */
  unrouteAll(options: { behavior: "wait" }): Promise<void>;
  storageState(): Promise<StorageState>;
  grantPermissions(names: string[]): Promise<void>;
  close(): Promise<void>;
}

export interface StorageState {
  cookies: object[];
  origins: { origin: string; localStorage: { name: string; value: string }[] }[];
}

export interface ContextOptions {
  viewport?: { width: number; height: number };
  colorScheme?: "light" | "dark";
  locale?: string;
  reducedMotion?: "reduce";
  storageState?: StorageState;
  bypassCSP?: boolean;
  timezoneId?: string;
}

export interface Browser {
  newContext(options?: ContextOptions): Promise<Context>;
  version(): string;
  close(): Promise<void>;
}

export interface Playwright {
  chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> };
}
