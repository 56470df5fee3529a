/**
 * Loaded with `--import`: from then on this process runs the TypeScript of this repository as it stands. Imports name
 * files with their extension, so nothing has to be looked for, and a process starts in half of the time that tsx takes.
 */
import { register } from 'node:module'

process.setSourceMapsEnabled(true)
register('./typescript-hooks.mjs', import.meta.url, { data: { folder: process.env.TRANSPILED_FILES } })
