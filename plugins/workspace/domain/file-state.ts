import type { FileState } from './rows.ts'

const NOTES: Readonly<Record<Exclude<FileState, 'ok'>, string>> = {
  missing: 'The file is missing: this is its last version, and the next commit writes it again.',
  invalid:
    'The file is not UTF-8 text of at most 4 MiB: this is its last version, and nothing is committed until it is repaired.',
  unwritten:
    'The newest version is stored but could not be written to the file: nothing is committed until its folder and disk allow it.',
}

/** What a reader is told of a file that is not the newest version; empty where it is. */
export interface FileNote {
  readonly substrate?: Exclude<FileState, 'ok'>
  readonly file?: string
}

/** What is said beside a text of the room whose file is in this state. */
export function fileNote(state: FileState): FileNote {
  return state === 'ok' ? {} : { substrate: state, file: NOTES[state] }
}
