import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as z from 'zod'
import { loadRefusalTables } from '../scripts/refusal-tables.ts'
import { BUILTIN_PLUGINS } from '../server/builtin-plugins.ts'
import { flagsOf } from '../server/cli/flags.ts'
import { HOST_VERBS } from '../server/cli/host-verbs.ts'
import { leavesOf, shapeOf } from '../server/cli/plugin-verbs.ts'
import type { VerbShape } from '../server/cli/verb-parser.ts'
import { ERROR_TABLE } from '../server/error-table.ts'
import type { RunningHost } from '../server/host.ts'
import { openWholeHost } from './harness/whole-host.ts'

const ROOT = join(import.meta.dirname, '..')
const GLOBAL_FLAGS = [
  '--json',
  '--quiet',
  '-q',
  '--config',
  '-c',
  '--project',
  '--storage',
  '--help',
  '-h',
  '--version',
]
/** Verbs of the plugins that the guide and the examples build; their own tests run them. */
const EXAMPLE_VERBS = ['greet', 'word-count']
/** Inputs of the Terraform modules that the pages search for. */
const MODULE_INPUTS = ['enable_nat_gateway']
/** What the configuration files of clients call things. */
const CLIENT_KEYS = ['startup_timeout_sec', 'tool_timeout_sec', 'enabled_tools', 'context_servers']

/** Everything a document may name. */
interface Known {
  /** Verb path -> its flags; a group of verbs has none of its own. */
  readonly verbs: ReadonlyMap<string, ReadonlySet<string>>
  readonly reasons: ReadonlySet<string>
  readonly codes: ReadonlySet<string>
  /** Tools, prompts, and every member of a record, an input or a configuration. */
  readonly names: ReadonlySet<string>
  /** The sources: an environment name that a document shows is read somewhere. */
  readonly sources: string
}

let host: RunningHost
let known: Known
before(async () => {
  host = await openWholeHost(join(ROOT, 'reports'))
  known = await everythingKnown(host)
})
after(() => host.stop())

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')

/** The documents, each without what it only announces; STYLE.md shows code that is not to be written. */
function documents(): readonly { readonly path: string; readonly text: string }[] {
  return git('ls-files', '*.md')
    .filter((path) => !path.includes('testdata/') && path !== 'STYLE.md')
    .map((path) => ({
      path,
      text: readFileSync(join(ROOT, path), 'utf8').replace(/^## Planned\n.*?(?=^## )/ms, ''),
    }))
}

async function everythingKnown({ registry }: RunningHost): Promise<Known> {
  const shapes: readonly VerbShape[] = [
    ...(await Promise.all(HOST_VERBS.map(({ load }) => load()))).flat(),
    ...leavesOf(registry).map(shapeOf),
  ]
  const records = git('ls-files', 'schemas').map((path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8')))
  const schemas = registry.tools.flatMap(({ tool }) =>
    [tool.input, tool.output].map((schema) =>
      z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
    ),
  )
  const tables = await loadRefusalTables()
  const reasons = tables.flatMap(({ rows }) => [...rows.values()].map(({ reason }) => reason))
  return {
    verbs: new Map([
      ...shapes.flatMap(({ path }) =>
        path.map((_, at) => [path.slice(0, at + 1).join(' '), new Set<string>()] as const),
      ),
      ...shapes.map((shape) => [shape.path.join(' '), new Set(flagNames(shape))] as const),
    ]),
    reasons: new Set(reasons),
    codes: new Set(Object.keys(ERROR_TABLE)),
    names: new Set([
      ...registry.tools.map(({ tool }) => tool.name),
      ...registry.prompts.map(({ prompt }) => prompt.name),
      ...[...records, ...schemas].flatMap(wordsOf),
      ...CLIENT_KEYS,
      ...MODULE_INPUTS,
    ]),
    sources: git('ls-files', 'server', 'plugins', 'scripts/packages', 'lab/retention/model')
      .filter((path) => /\.ts$/.test(path) && !/\.test\.ts$|\/testing\//.test(path))
      .map((path) => readFileSync(join(ROOT, path), 'utf8'))
      .join('\n'),
  }
}

function flagNames(shape: VerbShape): string[] {
  const { flags } = flagsOf(shape.input, shape.typing)
  return [
    ...flags.flatMap(({ long, short }) => [`--${long}`, `--no-${long}`, ...(short ? [`-${short}`] : [])]),
    ...(shape.takesInput ? ['--input'] : []),
    ...(shape.takesOutput ? ['--output', '-o'] : []),
    ...BUILTIN_PLUGINS.filter(({ verbs }) => verbs.some(({ verb }) => verb === shape.path[0])).flatMap(
      ({ settings = [] }) => settings.map(({ flag }) => flag),
    ),
    ...GLOBAL_FLAGS,
  ]
}

/** Keys and fixed values at any depth of a schema. */
function wordsOf(node: unknown): string[] {
  if (typeof node === 'string') return [node]
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, child]) => [key, ...wordsOf(child)])
}

/** Pieces of code in a document: spans, and the lines of blocks, with comments of the shell cut off. */
function codeOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```\w*\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.split('\n').map((line) => line.replace(/\s+#\s.*$/, '')),
  )
  const spans = [...text.replace(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  return [...blocks, ...spans]
}

/** The command lines of satchel in a piece of code. */
function commandsOf(code: string): string[][] {
  return [...code.matchAll(/(?:^|["(] ?|-- |npx (?:-y )?)satchel ((?:[^"`|;&]|\|(?! ))+)/g)].map(
    ([, line = '']) => line.trim().replace(/\\$/, '').split(/\s+/),
  )
}

function wrongCommands(text: string, { verbs }: Known): string[] {
  return codeOf(text)
    .flatMap(commandsOf)
    .filter(([first = '']) => !EXAMPLE_VERBS.includes(first) && /^[a-z]/.test(first))
    .flatMap((words) => {
      const shown = words.join(' ')
      const typed = words.slice(0, words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word)) >>> 0)
      const path = typed
        .map((_, at) => typed.slice(0, typed.length - at).join(' '))
        .find((one) => verbs.has(one))
      const flags = path === undefined ? undefined : verbs.get(path)
      const isGroup = flags?.size === 0
      if (!flags || (isGroup && typed.join(' ') !== path)) return [`no such verb: satchel ${shown}`]
      const strange = words.flatMap((word) => /^\[?(--?[a-z][a-z-]*)/.exec(word)?.[1] ?? [])
      return strange
        .filter((flag) => !isGroup && !flags.has(flag))
        .map((flag) => `no ${flag}: satchel ${shown}`)
    })
}

function wrongFlags(text: string, { verbs }: Known): string[] {
  const flags = new Set([...verbs.values()].flatMap((one) => [...one]))
  return codeOf(text)
    .filter((code) => code.startsWith('--'))
    .flatMap((code) => code.match(/(?<=^|[\s/])--[a-z][a-z-]*/g) ?? [])
    .filter((flag) => !flags.has(flag))
}

function wrongNames(text: string, { names, reasons, codes, sources }: Known): string[] {
  return codeOf(text)
    .filter((code) => /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(code))
    .filter(
      (word) =>
        !names.has(word) &&
        !reasons.has(word) &&
        !codes.has(word) &&
        !sources.includes(`${word}:`) &&
        !sources.includes(`'${word}'`),
    )
}

function wrongErrors(text: string, { reasons, codes }: Known): string[] {
  return codeOf(text).flatMap((code) => {
    const [, left = '', right = ''] = /^([a-z_]+)\/([a-z_]+)$/.exec(code) ?? []
    return codes.has(left) && !reasons.has(right) ? [code] : []
  })
}

function wrongEnvironment(text: string, { sources }: Known): string[] {
  return (text.match(/\b(?:SATCHEL|SERVICE)_[A-Z_]+\b/g) ?? []).filter((name) => !sources.includes(name))
}

const CHECKS = [wrongCommands, wrongFlags, wrongNames, wrongErrors, wrongEnvironment] as const

test('every command a document shows has verbs and flags that exist', () => {
  for (const { path, text } of documents()) assert.deepEqual(wrongCommands(text, known), [], path)
  assert.ok(documents().flatMap(({ text }) => codeOf(text).flatMap(commandsOf)).length > 100)
})

test('no document names a flag, tool, reason, code or environment name that does not exist', () => {
  for (const { path, text } of documents()) {
    for (const check of CHECKS) assert.deepEqual(check(text, known), [], `${path}: ${check.name}`)
  }
})

test('a document that names what does not exist is caught', () => {
  const planted: readonly [(text: string, known: Known) => string[], string][] = [
    [wrongCommands, 'Type `satchel handof create`.'],
    [wrongCommands, '```sh\nnpx -y satchel handoff create --titel x\n```'],
    [wrongCommands, '```json\n{ "command": "npx -y satchel handoff hok stop" }\n```'],
    [wrongFlags, 'Give `--read-onyl`.'],
    [wrongNames, 'Call `handoff_crate`.'],
    [wrongErrors, 'It answers `conflict/stale_verzion`.'],
    [wrongEnvironment, 'Set `SATCHEL_TOKENS_OF_ALL`.'],
  ]

  for (const [check, text] of planted) assert.equal(check(text, known).length, 1, text)
})
