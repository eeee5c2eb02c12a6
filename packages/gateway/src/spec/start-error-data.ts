/** Errors that prevent a gateway from starting, and errors of its store. */
export const START_ERROR_DATA = {
  ConfigurationUnreadable: {
    title: 'The configuration cannot be read',
    status: 500,
    meaning: 'The file does not exist or is not valid JSON. A TypeScript file does not load or has no default export.',
    remedy: 'Correct the file. The message names it and the position of the error.',
  },
  InvalidConfiguration: {
    title: 'A setting has an invalid value',
    status: 500,
    meaning: 'A key of the configuration or an environment variable is unknown, or has an invalid value.',
    remedy:
      'Correct the keys that the message names, with their source and the values they accept. See [configuration](../gateway/configuration.md).',
  },
  ConfigurationUntrusted: {
    title: 'The configuration file is not trusted',
    status: 500,
    meaning:
      'The gateway found a `skillwright.config.json` in the working directory, and the user has not trusted that directory. Such a file can run code and send keys to any host, and a cloned repository may contain one.',
    remedy:
      'Read the file. Then start with `--config skillwright.config.json`, or trust its directory with `npx skillwright trust <directory>`. See [configuration](../gateway/configuration.md).',
  },
  DataDirectoryTracked: {
    title: 'The data directory is under version control',
    status: 500,
    meaning:
      'Git tracks files in the data directory or a link to it, or Git cannot read the repository to check. A cloned repository could contain its own keys, skills and settings, and a commit would publish yours.',
    remedy: 'Use another directory with `--data`, or remove its files from the repository with `git rm -r --cached`.',
  },
  DataDirectoryShared: {
    title: 'Every user can write to the data directory',
    status: 500,
    meaning:
      'The permissions of the data directory or of its database let every user of the machine write to it. Any of them could add keys, settings and skills.',
    remedy: 'Run `chmod o-w` on the path in the message, or use another directory with `--data`.',
  },
  KeysRequired: {
    title: 'The gateway would be open to the network without a key',
    status: 500,
    meaning:
      'The host is not a loopback address and no API key exists yet, so everybody on the network could use the gateway.',
    remedy:
      'Start it once on 127.0.0.1 and save the admin token that it prints, or set `SKILLWRIGHT_ADMIN_TOKEN`. See [keys](../gateway/keys.md).',
  },
  ListenFailed: {
    title: 'The gateway cannot listen on the address',
    status: 500,
    meaning: 'Another process uses the address, this user may not use it, or it does not exist on this machine.',
    remedy: 'Choose another `port` or `host`, or stop the process that uses it.',
  },
  StoreInUse: {
    title: 'Another process uses this data directory',
    status: 503,
    meaning:
      'Only one gateway at a time can use a database file. `data.pid` is the process id of the other gateway, if it is known.',
    remedy: 'Stop the other gateway, or give this one its own `data` directory.',
  },
  StoreNewer: {
    title: 'The database was written by a newer version',
    status: 500,
    meaning: 'The database has migrations that this version does not know. Nothing was changed.',
    remedy: "Update the gateway, or restore the backup from before the newer version's migration.",
  },
  StoreCorrupt: {
    title: 'The database is damaged',
    status: 500,
    meaning:
      'The file is not a SQLite database, its content is inconsistent, or its tables do not match its list of migrations. Nothing was changed.',
    remedy: 'Restore a backup, or move the file away to start with an empty one.',
  },
  StoreFull: {
    title: 'The database cannot grow',
    status: 503,
    meaning: 'The disk is full, or the database reached its size limit. The whole write was rolled back.',
    remedy: 'Free disk space and try again.',
  },
  StoreGone: {
    title: 'The database file was moved or deleted',
    status: 503,
    meaning:
      'The file was deleted, moved or replaced while the gateway had it open. The gateway stopped writing, because the data would be lost.',
    remedy:
      'Put the file back, or restart the gateway. It then uses the file at the path, or starts with an empty database.',
  },
  StoreUnavailable: {
    title: 'The database cannot be read or written',
    status: 503,
    meaning: 'The file or its directory is not writable, or the operating system reported an error. See `cause`.',
    remedy: 'Check the permissions and the disk.',
  },
  StoreConflict: {
    title: 'The write conflicts with existing data',
    status: 409,
    meaning: 'A row with the same key already exists, or a row that it refers to does not exist.',
    remedy: 'Read the current data and correct the write.',
  },
  StoreClosed: {
    title: 'The gateway was closed',
    status: 503,
    meaning: 'Its store was used after `close()`.',
    remedy: 'Create another gateway.',
  },
} as const;
