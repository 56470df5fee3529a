import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flagsOf, originOf, originOfLine } from './program-origin.ts'

const SERVERS: readonly (readonly [
  origin: string,
  command: string,
  args: readonly string[],
  more?: string,
])[] = [
  ['plain', 'satchel', ['mcp']],
  ['plain', '/opt/bin/satchel', ['mcp', '--profile', 'core']],
  ['plain', '/usr/bin/node', ['/a b/dist/satchel.js', 'mcp']],
  ['plain', 'C:\\Program Files\\nodejs\\node.exe', ['C:\\x\\dist\\satchel.js', 'mcp']],
  ['changed', 'satchel', ['mcp'], 'env'],
  ['changed', 'npx', ['satchel', 'mcp']],
  ['changed', '/usr/bin/node', ['--inspect', '/x/satchel.js', 'mcp']],
  ['foreign', 'satchel', ['serve']],
  ['foreign', 'docker', ['run', 'image', 'mcp']],
  ['foreign', 'satchelbag', ['mcp']],
]

for (const [origin, command, args, more] of SERVERS) {
  test(`an entry with ${[command, ...args].join(' ')}${more ? ` and ${more}` : ''} is ${origin}`, () => {
    assert.equal(originOf({ command, args }, ['command', 'args', ...(more ? [more] : [])]), origin)
  })
}

const LINES: readonly (readonly [origin: string, program: string])[] = [
  ['plain', 'satchel '],
  ['plain', "/usr/bin/node '/a b/satchel.js' "],
  ['plain', "'/it'\\''s/node' /x/satchel.js "],
  ['plain', '"C:\\Program Files\\node.exe" "C:\\x\\satchel.js" '],
  ['changed', 'DEBUG=1 satchel '],
  ['changed', 'cd /x && satchel '],
  ['changed', '/x/satchel > /tmp/log '],
  ['foreign', '/opt/wrap '],
  ['foreign', ''],
]

for (const [origin, program] of LINES) {
  test(`a hook that begins with ${JSON.stringify(program)} is ${origin}`, () => {
    assert.equal(originOfLine(`${program}handoff hook stop`, 'handoff hook stop'), origin)
  })
}

test('the flags of an entry are what is behind mcp, where it starts satchel', () => {
  assert.deepEqual(flagsOf({ command: 'satchel', args: ['mcp', '--room', 'a b.md'] }), ['--room', 'a b.md'])
  assert.deepEqual(flagsOf({ command: 'npx', args: ['satchel', 'mcp', '--read-only'] }), ['--read-only'])
  assert.deepEqual(flagsOf({ command: 'docker', args: ['run', 'mcp', '--room', 'x'] }), [])
})
