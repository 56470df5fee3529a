import { defineRefusals } from '../contract/refusals.ts'

/** What can be wrong with the database of `storage.url`. No message holds a user name or a password. */
export const refusals = defineRefusals({
  storage_not_set: {
    code: 'invalid',
    message: 'No database is configured.',
    next: 'Set storage.url in the configuration, or SATCHEL_STORAGE_URL.',
  },
  storage_url: {
    code: 'invalid',
    message: 'storage.url is not an address of a PostgreSQL database.',
    next: 'Write postgres://user@host:5432/name, and percent-encode the password.',
  },
  storage_client_missing: {
    code: 'unavailable',
    message: 'A database needs the package pg in {folder}, where satchel is: npm install {global}pg',
  },
  storage_unreachable: {
    code: 'unavailable',
    message: 'The database {place} does not answer ({fault}).',
    next: 'Start it, or correct storage.url.',
  },
  storage_password: {
    code: 'unavailable',
    message: 'The database {place} refuses this user or password.',
    next: 'Correct storage.url, PGPASSWORD or ~/.pgpass.',
  },
  storage_encryption: {
    code: 'unavailable',
    message: 'The database {place} and sslmode of storage.url do not agree: {fault}.',
    next: 'Correct sslmode (disable, or verify-full), or let the server offer TLS.',
  },
  storage_certificate: {
    code: 'unavailable',
    message: 'The certificate of the database {place} is not accepted ({fault}).',
    next: 'Name the file of its authority with sslrootcert in storage.url, and its host as the certificate does.',
  },
  storage_certificate_file: {
    code: 'invalid',
    message: 'A file that sslrootcert, sslcert or sslkey of storage.url names cannot be read ({fault}).',
    next: 'Correct its path and its permissions.',
  },
  storage_no_database: {
    code: 'unavailable',
    message: 'The server has no database {place}.',
    next: 'Create it with createdb, in UTF8.',
  },
  storage_denied: {
    code: 'unavailable',
    message: 'The user of storage.url lacks a right in the database {place}.',
    next: 'Let its owner grant what docs/storage.md names.',
  },
  storage_read_only: {
    code: 'unavailable',
    message: 'The database {place} takes no writes: it is a standby, or set to read only.',
    next: 'Name the primary in storage.url.',
  },
  storage_encoding: {
    code: 'unavailable',
    message: 'The database {place} is in {encoding}; records are UTF-8.',
    next: 'Create one with createdb --encoding=UTF8 --template=template0.',
  },
  storage_not_migrated: {
    code: 'unavailable',
    message: 'The database {place} has no tables of satchel yet.',
    next: 'Run satchel storage migrate once.',
  },
  storage_schema_older: {
    code: 'unavailable',
    message: 'The tables of {owner} in {place} have version {found}; this satchel needs {wanted}.',
    next: 'Run satchel storage migrate.',
  },
  storage_schema_newer: {
    code: 'unavailable',
    message:
      'A newer satchel made the tables of {owner} in {place}: version {found}, and this one knows {wanted}.',
    next: 'Use that release; nothing was changed.',
  },
  storage_foreign_tables: {
    code: 'conflict',
    message: 'The schema satchel of {place} belongs to another application: it has {table}.',
    next: 'Use another database; nothing was changed.',
  },
  storage_lost: {
    code: 'unavailable',
    message: 'The connection to the database {place} was lost; nothing was changed.',
    next: 'Try again.',
  },
  storage_unknown: {
    code: 'unavailable',
    message:
      'The connection to the database {place} was lost in the middle of a commit, and the server cannot be asked about it.',
    next: 'Read what you wrote before you write it again.',
  },
  storage_busy: {
    code: 'unavailable',
    message: 'The database {place} is too busy ({fault}); nothing was changed.',
    next: 'Try again later.',
  },
  storage_full: {
    code: 'unavailable',
    message: 'The disk of the database {place} is full; nothing was changed.',
  },
})
