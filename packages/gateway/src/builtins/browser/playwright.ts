/** The parts of Playwright that the gateway uses. Operators install Playwright themselves. */
export interface Playwright {
  readonly chromium: { launch(options: ChromiumOptions): Promise<ChromiumBrowser> };
}

export interface ChromiumOptions {
  readonly headless: true;
  readonly executablePath?: string;
  readonly chromiumSandbox: boolean;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly proxy: { readonly server: string; readonly bypass: string };
  readonly timeout: number;
}

export interface ChromiumBrowser {
  newContext(options: {
    readonly acceptDownloads: false;
    readonly serviceWorkers: 'block';
    readonly viewport: { readonly width: number; readonly height: number };
  }): Promise<ChromiumContext>;
  close(): Promise<void>;
}

export interface ChromiumContext {
  newPage(): Promise<ChromiumPage>;
}

export interface ChromiumPage {
  setDefaultTimeout(ms: number): void;
  goto(url: string, options: { readonly waitUntil: 'load' }): Promise<{ status(): number } | null>;
  url(): string;
  title(): Promise<string>;
  click(selector: string): Promise<void>;
  fill(selector: string, value: string): Promise<void>;
  innerText(selector: string): Promise<string>;
  screenshot(options: { readonly fullPage: boolean }): Promise<Uint8Array>;
}
