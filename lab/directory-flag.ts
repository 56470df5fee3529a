import * as z from 'zod'

/** `--dir`: where temporary folders are made. */
export function directoryFlag(what: string) {
  return z.string().optional().describe(`${what}; absent: the folder for temporary files`)
}
