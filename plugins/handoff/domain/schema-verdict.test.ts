import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Schema, Validator } from '@cfworker/json-schema'
import { build } from 'esbuild'
import fc from 'fast-check'
import type { HandoffKnown } from '../../../generated/handoff-known.ts'
import { HANDOFF_SCHEMA } from '../../../generated/handoff-schema.ts'
import { validate } from '../../../generated/handoff-validate.js'
import { isJsonObject } from '../../../server/plugin.ts'
import { FROM_SOURCES } from '../../../test/from-sources.ts'
import { schemaVerdict } from './schema-verdict.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const BASE: HandoffKnown = JSON.parse(
  readFileSync(`${ROOT}plugins/handoff/testdata/handoff-cases.json`, 'utf8'),
)[0].record

// 50,000 by hand: RUNS=50000 node --import ./scripts/typescript.mjs --test plugins/handoff/domain/schema-verdict.test.ts
const RUNS = Number(process.env['RUNS'] ?? 3000)
const SEED = Number(process.env['SEED'] ?? 20261121)

const oddValue = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double(),
  fc.string(),
  fc.constantFrom(
    '',
    'draft',
    'invalid',
    'D-001',
    'd-001',
    'E-0001',
    'git',
    'handoff',
    BASE.id,
    'urn:uuid:x',
    0,
    1,
    1.01,
    -0.1,
  ),
  fc.constant([]),
  fc.constant({}),
  fc.constant([null]),
)

interface Mutation {
  readonly path: readonly number[]
  readonly action: 'set' | 'remove' | 'add' | 'copy'
  readonly value: unknown
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  path: fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }),
  action: fc.constantFrom('set', 'remove', 'add', 'copy'),
  value: oddValue,
})

/** Walks down by choosing members by number, then changes what it found. */
function mutate(record: unknown, { path, action, value }: Mutation): void {
  let node: unknown = record
  for (const [depth, choice] of path.entries()) {
    if (!isJsonObject(node) && !Array.isArray(node)) return
    const keys = Object.keys(node)
    const key = keys[choice % Math.max(1, keys.length)]
    if (key === undefined) return
    const container = node as Record<string, unknown> // arrays too are indexed by their keys
    const next = container[key]
    const isLast = depth === path.length - 1 || typeof next !== 'object' || next === null
    if (isLast) {
      change(container, key, action, value)
      return
    }
    node = next
  }
}

function change(
  container: Record<string, unknown>,
  key: string,
  action: Mutation['action'],
  value: unknown,
): void {
  if (action === 'set') container[key] = value
  else if (action === 'add') container[`${key} more`] = value
  else if (action === 'copy' && Array.isArray(container)) container.push(container[0])
  else if (Array.isArray(container)) container.splice(Number(key), 1)
  else delete container[key]
}

test(`a second validator agrees on ${RUNS} generated and mutated records (seed ${SEED})`, (t) => {
  // The second validator's own format check accepts what ours must not: a pattern says the same.
  const schema = structuredClone(HANDOFF_SCHEMA) as unknown as { properties: { id: object } } & Schema
  schema.properties.id = { type: 'string', pattern: '^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' }
  const second = new Validator(schema, '7', true)
  let valid = 0
  fc.assert(
    fc.property(fc.array(mutation, { maxLength: 3 }), (mutations) => {
      const record = structuredClone(BASE)
      for (const one of mutations) mutate(record, one)
      const ours = validate(record)
      if (ours) valid++
      assert.equal(ours, second.validate(record).valid)
      assert.equal(schemaVerdict(record).length === 0, ours)
    }),
    { seed: SEED, numRuns: RUNS },
  )
  t.diagnostic(`${valid} of ${RUNS} were valid`)
  assert.ok(valid > RUNS / 20 && valid < RUNS * 0.95)
})

test('the second validator bites: a schema without one rule disagrees', () => {
  const schema = structuredClone(HANDOFF_SCHEMA) as unknown as { properties: { kind: object } } & Schema
  schema.properties.kind = { type: 'string' }
  const planted = new Validator(schema, '7', true)
  const record = { ...BASE, kind: 'Handoff' }

  assert.notEqual(planted.validate(record).valid, validate(record))
})

test('an error names the place, what is allowed, what was found and what may be meant', () => {
  const { status: _status, ...missing } = BASE
  const verdict = schemaVerdict({ ...missing, Status: 'Ready', flags: ['Invalid'], created_at: 7 })

  assert.deepEqual(
    verdict.map(({ pointer, keyword, expected, actual, suggestion }) => ({
      pointer,
      keyword,
      expected,
      actual,
      suggestion,
    })),
    [
      { pointer: '', keyword: 'required', expected: ['status'], actual: 'absent', suggestion: 'Status' },
      {
        pointer: '/flags/0',
        keyword: 'enum',
        expected: ['invalid', 'conflicted'],
        actual: '"Invalid"',
        suggestion: 'invalid',
      },
      { pointer: '/created_at', keyword: 'type', expected: ['string'], actual: '7', suggestion: undefined },
    ],
  )
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const leaking = schemaVerdict({ ...BASE, kind: `${secret} ${'x'.repeat(200)}` })
  assert.ok(!JSON.stringify(leaking).includes(secret.slice(4)))
  assert.ok((leaking[0]?.actual.length ?? 99) <= 80)
})

test('the known type refuses a wrong value, a typo and a missing member', () => {
  // @ts-expect-error a wrong value of an enumeration
  const wrong: HandoffKnown = { ...BASE, status: 'Ready' }
  // @ts-expect-error a misspelled member
  const typo: HandoffKnown = { ...BASE, satus: 'ready' }
  const { risks: _risks, ...rest } = BASE
  // @ts-expect-error a missing member
  const missing: HandoffKnown = rest

  assert.deepEqual(
    [wrong, typo, missing].map((record) => validate(record)),
    [false, true, false],
  )
})

test('generating again gives the same files', { timeout: 600_000 }, () => {
  const names = [
    'handoff.ts',
    'handoff-known.ts',
    'handoff-validate.js',
    'handoff-validate.d.ts',
    'handoff-schema.ts',
  ]
  const read = () => names.map((name) => readFileSync(`${ROOT}generated/${name}`, 'utf8'))
  const committed = read()

  execFileSync(process.execPath, [...FROM_SOURCES, 'scripts/generate.ts'], { cwd: ROOT })

  assert.deepEqual(read(), committed)
})

test('loading the plugin loads a JSON reader, zod and Node, and nothing heavy', async () => {
  const bundle = await build({
    entryPoints: [`${ROOT}plugins/handoff/index.ts`],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    external: ['*.lazy.ts'],
    logLevel: 'silent',
  })
  const imported = Object.values(bundle.metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ kind }) => kind === 'import-statement')
  const packages = new Set(imported.filter(({ path }) => !path.startsWith('node:')).map(({ path }) => path))

  assert.deepEqual([...packages].sort(), ['jsonc-parser', 'zod'])
})
