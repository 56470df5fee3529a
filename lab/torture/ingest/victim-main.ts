import { work } from './victim.ts'

const [directory = ''] = process.argv.slice(2)
await work(directory, { PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin' })
