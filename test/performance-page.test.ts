import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { keptFigures, keptOf } from '../scripts/kept-figures.ts'
import { whyMissed } from '../scripts/missed-goals.ts'
import { performancePage } from '../scripts/performance-page.ts'
import { keptPlots } from '../scripts/pictures/kept-plots.ts'

const RUN = { taken: '2026-01-01', node: 'v20.0.0', version: '1.0.0', load: 1 }
const MACHINE = { cpus: 2, model: 'a processor', memory_gib: 8, system: 'linux' }
const figure = {
  name: 'start.help',
  what: 'help',
  unit: 'ms',
  ours: 123.41234,
  against: 100,
  against_what: 'the limit',
  ratio: 1.2341234,
  goal: 1,
  gate: 2,
  sense: 'at_most',
}

test('a missed goal and a peer that was not measured are on the page', () => {
  const printed = { figures: [figure, { ...figure, name: 'start.exit', ratio: 0.5 }], missing: [] }
  const missing = [{ peer: 'other', reason: 'not installed' }]

  const page = performancePage(
    { machine: MACHINE, subjects: { start: keptOf(JSON.stringify({ ...printed, missing }), RUN) } },
    [{ file: 'start.svg', alternative: 'Starts.' }],
  )

  assert.match(page, /2 figures, 1 of them missed/)
  assert.match(page, /\| `start\.help` \| help \| ≤ 1\.00 \| the limit: 100 ms \| 123 \| 1\.23 \| missed \|/)
  assert.match(page, /\| `start\.exit` .* \| 0\.50 \| {2}\|/)
  assert.match(page, /^`satchel bench start`, satchel 1\.0\.0, Node\.js v20\.0\.0, 2026-01-01, load 1\.$/m)
  assert.match(page, /^- other: not installed$/m)
  assert.match(page, /^!\[Starts\.\]\(pictures\/start\.svg\)$/m)
})

test('each kept figure that misses its goal has a reason, and the page says it', () => {
  const { machine, subjects } = keptFigures.parse(
    JSON.parse(readFileSync(join(import.meta.dirname, '../docs/bench/latest.json'), 'utf8')),
  )
  const page = performancePage({ machine, subjects }, [])
  const missed = Object.values(subjects)
    .flatMap(({ figures }) => figures)
    .filter(({ ratio, goal, sense }) => (sense === 'at_most' ? ratio > goal : ratio < goal))

  for (const { name } of missed) {
    const why = whyMissed(name)?.why
    assert.ok(why !== undefined && page.includes(why), name)
  }
})

test('a goal that is kept has no reason on the page', () => {
  const name = 'mcp.rest.mean'
  const pageOf = (ratio: number): string => {
    const kept = keptOf(JSON.stringify({ figures: [{ ...figure, name, ratio }] }), RUN)
    return performancePage({ machine: MACHINE, subjects: { doors: kept } }, [])
  }

  assert.match(pageOf(1.5), /^- `mcp\.rest\.\*`: /m)
  assert.doesNotMatch(pageOf(0.9), /what was tried/)
})

test('the rounds of a figure are kept as median, least and most', () => {
  const rounds = { ours: [3, 1, 2.00001], against: [10, 30, 20] }

  const { figures } = keptOf(JSON.stringify({ figures: [{ ...figure, rounds }] }), RUN)

  assert.deepEqual(figures[0]?.spread, {
    ours: { median: 2, least: 1, most: 3 },
    against: { median: 20, least: 10, most: 30 },
  })
  assert.equal(figures[0]?.ours, 123.4)
})

test('kept figures are plotted as they are, and a plot without its figures is left out', () => {
  const start = (name: string, ours: number, against: number) => ({ ...figure, name, ours, against })
  const peers = [
    start('peers.start.wall.slow', 50, 400),
    start('peers.start.cpu.slow', 60, 500),
    start('peers.start.wall.quick', 50, 100),
    start('peers.start.cpu.quick', 60, 90),
  ]
  const growth = [{ ...figure, name: 'curves.records.list', ours: -0.2, against: 0.1 }]
  const kept = (figures: readonly object[]) => ({
    machine: MACHINE,
    subjects: { any: keptOf(JSON.stringify({ figures }), RUN) },
  })

  const [starts, grown] = keptPlots(kept([...peers, ...growth]))

  assert.deepEqual(starts?.plot.labels, ['satchel', 'quick', 'slow'])
  assert.deepEqual(starts?.plot.series, { time: [0.05, 0.1, 0.4], 'processor time': [0.06, 0.09, 0.5] })
  assert.equal(starts?.plot.max, 0.5)
  assert.deepEqual(grown?.plot.series, { measured: [0], 'at most': [0.1] })
  assert.deepEqual(
    keptPlots(kept(growth)).map(({ file }) => file),
    ['growth.svg'],
  )
  assert.deepEqual(keptPlots(kept([figure])), [])
})
