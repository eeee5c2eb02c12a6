/** Errors that keep a gateway from starting, and those of its store. */
export const START_ERROR_DATA = {
  ConfigurationUnreadable: {
    title: 'The configuration cannot be read',
    status: 500,
    meaning: 'The file is not there, is no JSON, or, in TypeScript, does not load or has no default export.',
    remedy: 'The message names the file and the place in it.',
  },
  InvalidConfiguration: {
    title: 'A setting has a value it cannot have',
    status: 500,
    meaning: 'A key of the configuration, or an environment variable, is unknown or has a wrong value.',
    remedy:
      'The message names every such key, where it stands, and what it takes. See [configuration](../gateway/configuration.md).',
  },
  ConfigurationUntrusted: {
    title: 'A configuration that nobody named or trusted',
    status: 500,
    meaning:
      'A `skillwright.config.json` was found in the working directory, and the user has not recorded that directory as trusted. Such a file can run code and send keys to any host, and a cloned repository may bring one.',
    remedy:
      'Read the file. Then start with `--config skillwright.config.json`, or trust its directory with `npx skillwright trust <directory>`. See [configuration](../gateway/configuration.md).',
  },
  DataDirectoryTracked: {
    title: 'The data directory is under version control',
    status: 500,
    meaning:
      'Git tracks files in the data directory or a link to it, or cannot say because it cannot read the repository. A cloned repository could bring keys, skills and settings of its own that way, and a commit would publish yours.',
    remedy: 'Use another directory with `--data`, or remove its files from the repository with `git rm -r --cached`.',
  },
  DataDirectoryShared: {
    title: 'Everybody can write to the data directory',
    status: 500,
    meaning:
      'The permissions of the data directory, or of the database in it, let every user of the machine write there. Any of them could bring keys, settings and skills.',
    remedy: 'Run `chmod o-w` on what the message names, or use another directory with `--data`.',
  },
  KeysRequired: {
    title: 'The gateway would be open to the network',
    status: 500,
    meaning: 'The host is not a loopback address and there is no API key yet, so everybody could use the gateway.',
    remedy:
      'Start it once on 127.0.0.1 and keep the admin token that it prints, or set `SKILLWRIGHT_ADMIN_TOKEN`. See [keys](../gateway/keys.md).',
  },
  ListenFailed: {
    title: 'The gateway cannot listen',
    status: 500,
    meaning: 'The address is taken, may not be used by this user, or does not exist on this machine.',
    remedy: 'Choose another `port` or `host`, or end what uses it.',
  },
  StoreInUse: {
    title: 'Another process uses this data directory',
    status: 503,
    meaning: 'A database in a file belongs to one gateway at a time. `data.pid` has the other one, where it is known.',
    remedy: 'End the other gateway, or give this one a `data` directory of its own.',
  },
  StoreNewer: {
    title: 'The database was written by a later version',
    status: 500,
    meaning: 'The database has migrations that this version does not know. Nothing was changed.',
    remedy: 'Update the gateway, or restore the backup that was made before the later version migrated.',
  },
  StoreCorrupt: {
    title: 'The database is damaged',
    status: 500,
    meaning:
      'The file is not a SQLite database, its content contradicts itself, or its tables do not fit its list of migrations. Nothing was changed.',
    remedy: 'Restore a backup, or move the file away to start with an empty one.',
  },
  StoreFull: {
    title: 'The database cannot grow',
    status: 503,
    meaning:
      'The disk, or the space that the database may take, is full. What was being written was undone as a whole.',
    remedy: 'Make room and try again.',
  },
  StoreGone: {
    title: 'The database file is not where it was',
    status: 503,
    meaning:
      'The file was deleted, moved or replaced while the gateway had it open. What is written to it would be lost, so nothing is written.',
    remedy: 'Put the file back, or restart the gateway: it then uses what is at the path, or starts with an empty one.',
  },
  StoreUnavailable: {
    title: 'The database cannot be read or written',
    status: 503,
    meaning: 'The file or its directory may not be written, or the operating system reported a failure. See `cause`.',
    remedy: 'Check the permissions and the disk.',
  },
  StoreConflict: {
    title: 'What is written contradicts what is there',
    status: 409,
    meaning: 'A row with the same key exists, or a row that it refers to does not.',
    remedy: 'Read what is there and write something that fits.',
  },
  StoreClosed: {
    title: 'The gateway was closed',
    status: 503,
    meaning: 'Its store was used after `close()`.',
    remedy: 'Create another gateway.',
  },
} as const;
