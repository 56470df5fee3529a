type Schema = Readonly<Record<string, unknown>>

/** Yields numbers from 0 to 1, the same for each seed. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Texts that programs mistake for something else. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  'a',
  '0',
  '-1',
  'null',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '/etc/passwd',
  '/proc/self/environ',
  '/proc/self/mem',
  '/dev/zero',
  '/dev/stdin',
  'file:///etc/passwd',
  'C:\\Windows\\win.ini',
  '--upload-pack=id',
  '-',
  '~',
  '$(id)',
  '`id`',
  '%00',
  'a\u0000b',
  'a\nb\r\nc',
  '\u202etxt.exe',
  '\ud800',
  '\ufeff',
  '💥'.repeat(50),
  'é'.normalize('NFD'),
  'x'.repeat(10_000),
  '['.repeat(2_000),
  '{"a":'.repeat(200),
  '{'.repeat(500),
  '&a [*a, *a]',
  '<script>alert(1)</script>',
  '# h\n'.repeat(200),
  '```'.repeat(300),
  '*'.repeat(3_000),
  '(a+)+$',
  'http://127.0.0.1:1/x.git',
  'http://[::1]/',
  'https://user:password@example.invalid/x.git',
  'ext::sh -c id',
  'refs/heads/../../x',
  '9'.repeat(400),
  '1e999',
  'resource "a" "b" { c = '.repeat(50),
  '@@ -1 +1 @@\n-a\n+b',
]
const NUMBERS: readonly number[] = [0, 1, -1, 0.5, 2 ** 31, -(2 ** 31), 2 ** 53, 1e308, 100, 5_000]
const DEEPEST = 5
const UNTYPED = ['string', 'number', 'boolean', 'null', 'array', 'object'] as const

/** Makes values for a JSON Schema: mostly what it asks for, with edge cases, and sometimes anything else. */
export function createInputs(random: () => number, definitions: Schema) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T // random() < 1
  const isRare = (share: number): boolean => random() < share

  const made = (schema: unknown, depth = 0): unknown => {
    if (isRare(0.06)) return anything(depth)
    if (typeof schema !== 'object' || schema === null) return anything(depth)
    const own = schema as Schema
    if (typeof own['$ref'] === 'string') return made(resolved(own['$ref']), depth)
    const choices = [own['anyOf'], own['oneOf']].find(Array.isArray)
    if (choices) return made(pick(choices), depth)
    if ('const' in own) return own['const']
    if (Array.isArray(own['enum'])) return pick(own['enum'])
    return typed(own, depth)
  }
  const typed = (schema: Schema, depth: number): unknown => {
    switch ([schema['type']].flat()[0]) {
      case 'string':
        return pick(TEXTS)
      case 'integer':
      case 'number':
        return pick(NUMBERS)
      case 'boolean':
        return isRare(0.5)
      case 'null':
        return null
      case 'array':
        return depth > DEEPEST ? [] : listOf(() => made(schema['items'], depth + 1))
      case 'object':
        return objectOf(schema, depth)
      default:
        return anything(depth)
    }
  }
  const objectOf = (schema: Schema, depth: number): unknown => {
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
    const fields = Object.entries((schema['properties'] ?? {}) as Schema) // JSON Schema
      .filter(([name]) => (required.includes(name) ? !isRare(0.05) : depth <= DEEPEST && isRare(0.35)))
      .map(([name, field]) => [name, made(field, depth + 1)] as const)
    const extra = isRare(0.05) ? [[pick(TEXTS), anything(depth + 1)] as const] : []
    return Object.fromEntries([...fields, ...extra])
  }
  const listOf = (entry: () => unknown): unknown[] => Array.from({ length: pick([0, 1, 1, 2, 5, 40]) }, entry)
  const anything = (depth: number): unknown => {
    const type = pick(UNTYPED)
    if (depth > DEEPEST && (type === 'array' || type === 'object')) return pick(TEXTS)
    if (type === 'object')
      return Object.fromEntries(listOf(() => [pick(TEXTS), anything(depth + 1)] as const) as [])
    if (type === 'array') return listOf(() => anything(depth + 1))
    return typed({ type }, depth)
  }
  const resolved = (reference: string): unknown =>
    reference
      .split('/')
      .slice(1)
      .reduce<unknown>(
        (at, name) => (at as Schema | undefined)?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
        definitions,
      )

  return { made, pick, isRare }
}
