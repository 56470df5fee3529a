import { join } from 'node:path'
import { HANDOFF_SCHEMA } from '../../../generated/handoff-schema.ts'
import { validate } from '../../../generated/handoff-validate.js'
import { listRecords } from '../../../plugins/handoff/domain/record-list.ts'
import { findSecrets } from '../../../plugins/handoff/domain/secrets.ts'
import { layoutOf } from '../../../plugins/handoff/store/layout.ts'
import { createIndex } from '../../../plugins/handoff/store/record-index.ts'
import { HARD_TO_SCAN, SCAN_LIMIT_MS } from '../../../plugins/handoff/testing/hard-to-scan.ts'
import { sampleRecord } from '../../../plugins/handoff/testing/sample-record.ts'
import { realDisk, withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'
import { percentile } from '../../percentile.ts'
import { type Figure, figureOf, limitFigure } from '../figure.ts'
import { cpuMs, leastOf } from '../timing.ts'
import { measureGrowth, writeSamples } from './growth.ts'

const ROUNDS = 5
const RECORDS = 10_000
const QUERIES = [
  'callback',
  'replay state',
  '"constant time"',
  'title:record fix*',
  'cookie -provider',
] as const
/** Longest list or search, warm (design handoff-store, section 4). */
const LIST_BUDGET_MS = 100

/** All figures of this plugin. Works in a temporary folder and leaves nothing behind. */
export async function measureHandoffs(options: LabContext, records: number): Promise<readonly Figure[]> {
  return await withScratchFolder('satchel-bench', async (root) => {
    options.note('validating a record of 50 KB')
    const validation = await measureValidation()
    options.note(`writing ${RECORDS} records`)
    await writeSamples(root, RECORDS, options.signal)
    options.note('listing and searching')
    const listing = await measureLists(root)
    const scan = await measureScan()
    return [validation, scan, listing, ...(await measureGrowth(root, records, options))]
  })
}

/** The generated validator against one that ajv compiles now, in turns, each at its best. */
async function measureValidation(): Promise<Figure> {
  const { compileWithAjv } = await import('./ajv.lazy.ts')
  const compiled = compileWithAjv(HANDOFF_SCHEMA)
  const record = sampleRecord(0, 50_000)
  let ours = 0
  let peer = 0
  for (let round = 0; round < ROUNDS; round++) {
    ours = Math.max(
      ours,
      perSecond(() => validate(record)),
    )
    peer = Math.max(
      peer,
      perSecond(() => compiled(record)),
    )
  }
  return figureOf({
    name: 'handoff.validate',
    what: 'validation of a record of 50 KB',
    unit: 'records/s',
    ours,
    against: peer,
    against_what: 'ajv, compiled at run time',
    goal: 0.8,
    sense: 'at_least',
  })
}

/** The scan for secrets of the megabyte that costs it most. */
async function measureScan(): Promise<Figure> {
  let worst = { unit: '', ms: 0 }
  for (const [unit, text] of HARD_TO_SCAN) {
    const { ms } = await leastOf(ROUNDS, { ms: () => cpuMs(() => findSecrets({ text })) })
    if (ms > worst.ms) worst = { unit, ms }
  }
  return limitFigure({
    name: 'handoff.scan',
    what: `processor time of a scan for secrets of a megabyte of ${JSON.stringify(worst.unit.slice(0, 20))}`,
    unit: 'ms',
    ours: worst.ms,
    limit: SCAN_LIMIT_MS,
  })
}

const BURST_MS = 150

function perSecond(work: () => boolean): number {
  const started = performance.now()
  let count = 0
  let elapsed = 0
  while (elapsed < BURST_MS) {
    for (let i = 0; i < 20; i++) if (!work()) throw new Error('the sample is not a record')
    count += 20
    elapsed = performance.now() - started
  }
  return (count * 1000) / elapsed
}

/** Lists and searches in turn on a warm index; the 95th percentile. */
async function measureLists(root: string): Promise<Figure> {
  const layout = layoutOf(root, join(root, '.handoffs'))
  const index = createIndex(realDisk, layout, () => performance.timeOrigin + performance.now())
  const times: number[] = []
  for (let round = -1; round < 12; round++) {
    for (const query of [undefined, ...QUERIES]) {
      const started = performance.now()
      await index.ask((table) => listRecords(table, { limit: 20, ...(query !== undefined && { query }) }))
      if (round >= 0) times.push(performance.now() - started)
    }
  }
  return limitFigure({
    name: 'handoff.list',
    what: `list and search over ${RECORDS} records, warm, p95`,
    unit: 'ms',
    ours: percentile(times, 0.95),
    limit: LIST_BUDGET_MS,
  })
}
