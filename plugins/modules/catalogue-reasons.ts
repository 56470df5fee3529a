/** The refusals about a catalogue that is empty or that others write too; rows of the table in `reasons.ts`. */
export const catalogueReasons = {
  ingest_running: {
    code: 'conflict',
    message: 'Another ingest is running there.',
    next: 'Wait until it has ended.',
  },
  worker_without_queue: {
    code: 'invalid',
    message: 'A worker takes its repositories from a queue in a database, and no catalogue is named there.',
    next: 'Set storage.url and catalogue.',
  },
  reading_given_up: {
    code: 'unavailable',
    message: 'Three workers were lost while they read this repository; it is left as it was.',
    next: 'Run `satchel ingest` again.',
  },
  asked_otherwise: {
    code: 'conflict',
    message: 'Another configuration asked for this repository with other options after this one did.',
    next: 'Give every machine the same entries for a repository.',
  },
  catalogue_differs: {
    code: 'conflict',
    message:
      'Modules of the files and of the database differ, {count} in all, first {module}; nothing was copied.',
    next: 'Ingest into the database instead, or export into another output_dir.',
  },
  no_index: {
    code: 'not_found',
    message: 'Nothing has been ingested yet.',
    next: 'Run `satchel ingest`, or call ingest_modules.',
  },
  nothing_to_search: {
    code: 'invalid',
    reason: 'embeddings_disabled',
    message: 'Nothing has been ingested yet, and embedding.enabled is false.',
    next: 'Name repositories in the configuration and set embedding.enabled to true (`satchel init` writes one with it), then run `satchel ingest`. With mode keyword (`satchel search --mode keyword`), the ingest is enough.',
  },
} as const
