const MIN_VALUE_CHARACTERS = 8;
const SECRET_NAME =
  /(?:(?:^|_)(?:KEY|PASS|PAT|JWT|CREDENTIALS?)|API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)(?:_?\d+|_BASE64|_B64|_JSON|_PEM)?$/i;
/** A key that is published. */
const PUBLIC_NAME = /PUBLIC_?KEY(?:_?\d+|_BASE64|_B64|_JSON|_PEM)?$/i;
const CREDENTIALS_NAME = /CREDENTIALS?$/i;
const PATH_VALUE = /^(?:[~.]{0,2}\/|[A-Za-z]:[\\/])/;

/**
 * The variables whose name says that the value is a secret, such as `OPENAI_API_KEY`, `GITHUB_TOKEN` or `PGPASSWORD`,
 * and whose value is long enough to be one. Not names of files (`…_FILE`, `…_PATH`, and `…_CREDENTIALS` that holds a
 * path), sockets, public keys, or identifiers such as `AWS_ACCESS_KEY_ID`, which are shown to people on purpose.
 */
export function secretVariables(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => isSecret(name, value)));
}

function isSecret(name: string, value: string): boolean {
  if (value.trim().length < MIN_VALUE_CHARACTERS || !SECRET_NAME.test(name) || PUBLIC_NAME.test(name)) return false;
  return !(CREDENTIALS_NAME.test(name) && PATH_VALUE.test(value));
}
