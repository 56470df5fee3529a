import { createRequire } from 'node:module'
import { work } from './victim.ts'

const [file = '', seed = '1'] = process.argv.slice(2)
const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
await work({ file, seed: Number(seed), wasm })
