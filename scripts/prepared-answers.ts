/**
 * Writes `dist/prepared`: what the program answers first over stdio without configuration, in every profile. A part of
 * the build.
 */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { BUILTIN_PLUGINS } from '../server/builtin-plugins.ts'
import { HOST_ENV } from '../server/config-sections.ts'
import { prepareAnswers, talkTo } from '../server/prepared/prepare.ts'
import type { PreparedIndex } from '../server/prepared/prepared-answers.ts'
import { run } from '../server/run.ts'

const TARGET = join('dist', 'prepared')
const STARTS: readonly (readonly string[])[] = [
  ['mcp'],
  ['mcp', '--read-only'],
  ...['core', 'standard', 'full'].map((profile) => ['mcp', '--profile', profile]),
]

const cwd = await mkdtemp(join(tmpdir(), 'satchel-prepared-'))
const env = { PATH: process.env['PATH'] }
const files = new Map<string, string>()
const starts: Record<string, string> = {}
for (const argv of STARTS) {
  const answers = await prepareAnswers((messages) =>
    talkTo((io) => run(argv, { ...io, stderr: new PassThrough().resume(), env, cwd }), messages),
  )
  if (!answers)
    throw new Error(`satchel ${argv.join(' ')}: the first answers depend on more than the revision`)
  const text = JSON.stringify(answers)
  const name = `${sha256(text).slice(0, 16)}.json`
  files.set(name, text)
  starts[JSON.stringify(argv)] = name
}
await rm(cwd, { recursive: true })

const plugins = await Promise.all(BUILTIN_PLUGINS.map(({ load }) => load()))
const index: PreparedIndex = {
  build: sha256([...files.keys()].join()),
  environment: [HOST_ENV, ...plugins.map(({ env: names = {} }) => names)]
    .flatMap((names) => Object.keys(names))
    .sort(),
  starts,
}
await rm(TARGET, { recursive: true, force: true })
await mkdir(TARGET, { recursive: true })
for (const [name, text] of files) await writeFile(join(TARGET, name), text)
await writeFile(join(TARGET, 'index.json'), JSON.stringify(index))

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
