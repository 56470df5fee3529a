/** Loaded with `--import`: this process runs the TypeScript of this repository, its types stripped (decision 185). */
import { register } from 'node:module'

register('./typescript-hooks.mjs', import.meta.url, { data: { folder: process.env.STRIPPED_SOURCES } })
