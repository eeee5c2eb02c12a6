import { posix, win32 } from 'node:path';

/** The facts that decide where the user's configuration is. */
export interface ConfigurationHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Node's name of the operating system. */
  readonly platform: string;
}

/** The default location of a user's trust file. */
export function trustFileLocation({ env, home, platform }: ConfigurationHost): string {
  const path = platform === 'win32' ? win32 : posix;
  const given = platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME'];
  // A relative path would depend on where a command is started.
  if (given !== undefined && path.isAbsolute(given)) return path.join(given, 'skillwright', 'trust.json');
  const start = path.isAbsolute(home) ? home : path.sep;
  return path.join(start, CONFIGURATION[platform] ?? '.config', 'skillwright', 'trust.json');
}

const CONFIGURATION: Readonly<Record<string, string>> = {
  win32: 'AppData\\Roaming',
  darwin: 'Library/Application Support',
};
