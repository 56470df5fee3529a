import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { NamedLine, Stated } from '../domain/module-facts.ts'
import { unescapeMarkers } from '../domain/quoted.ts'
import type { Json } from '../domain/summary.ts'
import { holdsExpression, withTexts } from './attribute.ts'
import { type BodyFacts, extractFacts } from './facts.ts'
import { jsonBody, jsonChecks } from './json-module.ts'
import { readHcl } from './reader.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const TESTDATA = join(import.meta.dirname, '..', 'testdata')
const CORPUS = join(ROOT, 'corpus')
const { openReference } = await import('./reference.lazy.ts')
const reference = openReference()
after(() => reference.close())

type Reference = { readonly [key: string]: Json }
interface Difference {
  readonly what: string
  readonly ours: unknown
  readonly theirs: unknown
}

/** The facts of our reader alone beside the reference's, field by field; empty when they agree. */
function differences(facts: BodyFacts, value: Reference): Difference[] {
  const theirs = extractFacts(jsonBody(value)).facts
  const raw = new Map(rawBlocks(value))
  const found: Difference[] = []
  const same = (what: string, ours: unknown, other: unknown) => {
    if (!isDeepStrictEqual(ours, other)) found.push({ what, ours, theirs: other })
  }
  const names = (list: readonly NamedLine[]) => list.map(({ name }) => name).sort()
  const addresses = (list: readonly { type: string; name: string }[]) =>
    list.map(({ type, name }) => `${type}.${name}`).sort()
  same('variables', names(facts.variables), labels(value['variable'], 1))
  same('outputs', names(facts.outputs), labels(value['output'], 1))
  same('modules', names(facts.modules), labels(value['module'], 1))
  same('provider blocks', names(facts.providerBlocks), labels(value['provider'], 1))
  same('resources', addresses(facts.resources), labels(value['resource'], 2))
  same('data', addresses(facts.data), [...labels(value['data'], 2), ...checkedData(value)].sort())
  same('ephemeral', addresses(facts.ephemeral), labels(value['ephemeral'], 2))
  same('required_version', facts.requiredVersion, theirs.requiredVersion)
  for (const [ours, other] of pairs(facts.requirements, theirs.requirements)) {
    same(`provider ${ours.name}`, plain(ours), plain(other))
  }
  for (const [ours, other] of pairs(facts.modules, theirs.modules)) {
    same(`module ${ours.name}`, plain(ours), plain(other))
  }
  for (const [ours, other] of pairs(facts.variables, theirs.variables)) {
    const at = `variable ${ours.name}`
    same(`${at} description`, text(ours.description), text(other.description))
    same(`${at} type`, ours.type?.replace(/\s/g, ''), other.type?.replace(/\s/g, ''))
    same(
      `${at} flags`,
      [ours.nullable, ours.sensitive, ours.ephemeral],
      [other.nullable, other.sensitive, other.ephemeral],
    )
    compareStated(
      `${at} default`,
      ours.default,
      raw.get(`variable ${ours.name} ${occurrence(facts.variables, ours)}`)?.get('default'),
      found,
    )
  }
  for (const [ours, other] of pairs(facts.outputs, theirs.outputs)) {
    same(`output ${ours.name} description`, text(ours.description), text(other.description))
    same(`output ${ours.name} sensitive`, ours.sensitive, other.sensitive)
    compareStated(
      `output ${ours.name} value`,
      ours.value,
      raw.get(`output ${ours.name} ${occurrence(facts.outputs, ours)}`)?.get('value'),
      found,
    )
  }
  return found
}

/** The data sources inside of checks. */
function checkedData(value: Reference): string[] {
  return jsonChecks(jsonBody(value)).flatMap(({ blocks }) => blocks.map(({ labels }) => labels.join('.')))
}

/** The labels of all blocks of one type, as often as there are bodies. */
function labels(value: Json | undefined, depth: number): string[] {
  if (value === undefined || value === null || typeof value !== 'object') return []
  if (depth === 0) return Array.isArray(value) ? value.map(() => '') : ['']
  const inner = Object.entries(value).flatMap(([key, below]) =>
    labels(below, depth - 1).map((rest) => (rest === '' ? key : `${key}.${rest}`)),
  )
  return inner.sort()
}

/** Literals must be equal; where we keep source text, the reference must hold a template. */
function compareStated(
  what: string,
  ours: Stated | undefined,
  theirs: Json | undefined,
  found: Difference[],
): void {
  if (ours === undefined || theirs === undefined) {
    if (ours !== theirs) found.push({ what, ours, theirs })
  } else if (ours.expression !== undefined) {
    if (!holdsExpression(theirs)) found.push({ what, ours, theirs })
  } else if (!isDeepStrictEqual(ours.value, literal(theirs))) found.push({ what, ours, theirs })
}

/** The reference keeps `$${` and `%%{`, and the CR of heredocs. */
function literal(value: Json): Json {
  return withTexts(value, (text) => unescapeMarkers(text.replaceAll('\r\n', '\n')))
}

/** It prints directives without blanks (`%{if x}`) and without `~`. */
function text(value: string | undefined): string | undefined {
  return value?.replaceAll('\r\n', '\n').replace(/([$%]\{)~?\s*([^{}]*?)\s*~?\}/g, '$1$2}')
}

function occurrence<T extends NamedLine>(list: readonly T[], fact: T): number {
  return list.filter(({ name }) => name === fact.name).indexOf(fact)
}

function plain(facts: NamedLine): unknown {
  return Object.fromEntries(Object.entries(facts).filter(([key]) => key !== 'line'))
}

function pairs<T extends NamedLine>(ours: readonly T[], theirs: readonly T[]): [T, T][] {
  const waiting = [...theirs]
  return ours.flatMap((fact): [T, T][] => {
    const at = waiting.findIndex(({ name }) => name === fact.name)
    return waiting.splice(at, at === -1 ? 0 : 1).map((mate) => [fact, mate])
  })
}

function* rawBlocks(value: Reference): Generator<[string, Map<string, Json>]> {
  for (const type of ['variable', 'output']) {
    for (const [name, bodies] of Object.entries(value[type] ?? {})) {
      for (const [at, body] of (Array.isArray(bodies) ? bodies : [bodies]).entries()) {
        yield [`${type} ${name} ${at}`, new Map(Object.entries(body ?? {}))]
      }
    }
  }
}

async function compare(source: string): Promise<Difference[] | 'reference failed' | 'not sure'> {
  const file = readHcl(source)
  const { facts, unsure } = extractFacts(file)
  const answer = await reference.ask(source)
  const isSure = file.problems.length === 0 && file.doubts.length === 0
  if (answer.kind !== 'read') {
    assert.ok(!isSure || unsure.size > 0, `the reference refuses what our reader accepts: ${answer.message}`)
    return 'reference failed'
  }
  return isSure && unsure.size === 0 ? differences(facts, answer.value) : 'not sure'
}

/** Every difference there may be in the fixtures, and why (design modules 3.4). */
const EXPLAINED: Readonly<Record<string, string>> = {
  'crlf/main.tf variable directive description': 'it rewrites directives and drops the blanks that ~ strips',
  'literals/main.tf variable too_big default': 'it rounds big numbers',
  'literals/main.tf variable too_exact default': 'it rounds numbers with many digits',
  'literals/main.tf variable huge default': 'it makes null of numbers beyond the range of a double',
  'expressions/main.tf variable not default': 'it computes operators on constants',
  'syntax/strings.tf variable multi_line_template default': 'it computes templates of constants',
  'syntax/strings.tf variable nested_template default': 'it computes templates of constants',
}

test('every fixture reads as the reference reads it, except for the differences that are explained', async () => {
  const seen = new Set<string>()
  let compared = 0
  for (const name of readdirSync(TESTDATA, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.(?:tf|tofu)$/.test(name) || name.startsWith('too-deep') || name.endsWith('binary/main.tf'))
      continue
    const found = await compare(readFileSync(join(TESTDATA, name), 'utf8'))
    if (typeof found === 'string') continue
    compared += 1
    for (const { what } of found) seen.add(`${name} ${what}`)
  }

  assert.ok(compared >= 20)
  assert.deepEqual([...seen].sort(), Object.keys(EXPLAINED).sort())
})

/** The reference needs seconds for the whole corpus: `CORPUS=all` reads it, else every fourth file is a sample of it. */
const SHARE = process.env['CORPUS'] === 'all' ? 1 : 4

test(`${SHARE === 1 ? 'every' : 'every fourth'} file of the corpus reads as the reference reads it`, {
  skip: existsSync(CORPUS) ? false : 'no corpus/ folder with bare repositories',
  timeout: 600_000,
}, async (t) => {
  const counts = { files: 0, 'reference failed': 0, 'not sure': 0 }
  const unexplained: string[] = []
  let at = 0
  for (const { repository, path, source } of corpusFiles()) {
    at += 1
    if (at % SHARE !== 0) continue
    counts.files += 1
    const found = await compare(source)
    if (typeof found === 'string') counts[found] += 1
    else
      for (const { what, ours, theirs } of found) {
        unexplained.push(`${repository} ${path} ${what}: ${JSON.stringify(ours)} / ${JSON.stringify(theirs)}`)
      }
  }

  t.diagnostic(JSON.stringify(counts))
  assert.deepEqual(unexplained, [])
  assert.ok((counts['reference failed'] + counts['not sure']) / counts.files <= 0.01)
})

/** Variables, required ones, outputs and resources, counted when this was written (design modules 10.2). */
const COUNTS: Readonly<Record<string, readonly [number, number, number, number]>> = {
  'terraform-aws-modules+terraform-aws-vpc .': [236, 0, 119, 79],
  'terraform-aws-modules+terraform-aws-eks .': [103, 0, 41, 25],
  'terraform-aws-modules+terraform-aws-eks modules/karpenter': [47, 0, 17, 15],
  'terraform-aws-modules+terraform-aws-s3-bucket .': [72, 0, 15, 21],
  'terraform-aws-modules+terraform-aws-lambda .': [138, 0, 35, 27],
  'Azure+terraform-azurerm-aks .': [176, 2, 45, 30],
  'Azure+terraform-azurerm-avm-res-storage-storageaccount .': [63, 3, 11, 5],
  'terraform-google-modules+terraform-google-network .': [23, 3, 16, 0],
  'cloudposse+terraform-null-label .': [18, 0, 19, 0],
}

test('modules of the corpus have as many inputs, required inputs, outputs and resources as were counted', {
  skip: existsSync(CORPUS) ? false : 'no corpus/ folder with bare repositories',
}, () => {
  for (const [module, expected] of Object.entries(COUNTS)) {
    const [repository = '', path = ''] = module.split(' ')
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', join(CORPUS, `${repository}.git`), ...args], { encoding: 'utf8' })
    const folder = path === '.' ? 'HEAD' : `HEAD:${path}`
    const rows = git('ls-tree', '-z', folder).split('\0')
    const names = rows.flatMap((row) => /^100\d{3} blob \w+\t(.*\.tf)$/.exec(row)?.[1] ?? [])
    const files = names.map(
      (name) => extractFacts(readHcl(git('show', `HEAD:${path === '.' ? '' : `${path}/`}${name}`))).facts,
    )
    const variables = files.flatMap((facts) => facts.variables)
    const required = variables.filter((variable) => variable.default === undefined)

    assert.deepEqual(
      [
        variables.length,
        required.length,
        ...(['outputs', 'resources'] as const).map((kind) => files.flatMap((facts) => facts[kind]).length),
      ],
      expected,
      module,
    )
  }
})

/** Distinct `.tf` blobs of the default branches. */
function* corpusFiles(): Generator<{ repository: string; path: string; source: string }> {
  const seen = new Set<string>()
  for (const repository of readdirSync(CORPUS)) {
    const git = (args: string[], input = '') =>
      execFileSync('git', ['-C', join(CORPUS, repository), ...args], { input, maxBuffer: 1 << 30 })
    const tree = git(['ls-tree', '-r', '-z', 'HEAD']).toString().split('\0')
    const blobs = tree.flatMap((row) => /^100\d{3} blob (\w+)\t(.*\.tf)$/.exec(row)?.slice(1, 3) ?? [])
    const wanted = new Map<string, string>()
    for (let at = 0; at < blobs.length; at += 2)
      if (!seen.has(blobs[at] ?? '')) wanted.set(blobs[at] ?? '', blobs[at + 1] ?? '')
    const bytes = git(['cat-file', '--batch'], `${[...wanted.keys()].join('\n')}\n`)
    let at = 0
    for (const [oid, path] of wanted) {
      seen.add(oid)
      const start = bytes.indexOf(10, at) + 1
      const size = Number(
        bytes
          .subarray(at, start - 1)
          .toString()
          .split(' ')[2],
      )
      yield { repository, path, source: bytes.subarray(start, start + size).toString() }
      at = start + size + 1
    }
  }
}
