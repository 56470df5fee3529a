import { work } from './victim.ts'

const [directory = '', seed = '1'] = process.argv.slice(2)
await work(directory, Number(seed))
