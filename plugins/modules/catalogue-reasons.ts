/** The refusals about a catalogue that others write too; rows of the table in `reasons.ts`. */
export const catalogueReasons = {
  ingest_running: {
    code: 'conflict',
    message: 'Another ingest is running there.',
    next: 'Wait until it has ended.',
  },
  catalogue_differs: {
    code: 'conflict',
    message:
      'Modules of the files and of the database differ, {count} in all, first {module}; nothing was copied.',
    next: 'Ingest into the database instead, or export into another output_dir.',
  },
} as const
