import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repositoryEntry } from '../../../plugins/modules/config.ts'
import { ingest } from '../../../plugins/modules/ingest/ingest.ts'
import { type ModuleReader, openModuleReader } from '../../../plugins/modules/ingest/module-reader.ts'
import { buildRemote, type MadeCommit } from '../../../plugins/modules/testing/build-remote.ts'
import { withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'
import { type Figure, figureOf, limitFigure } from '../figure.ts'
import { bestOf } from '../rounds.ts'
import { timed } from '../timing.ts'
import { measureCheck } from './check-tree.ts'
import { ingestByCheckout } from './checkout-peer.ts'
import { measureParsing, sampleTexts } from './parse.ts'

const ROUNDS = 5
const TAGS = 20
const TIMES_FASTER = 4
const MEMORY_BUDGET_MIB = 300

interface MeasureOptions extends LabContext {
  /** A repository with at least 20 tags to measure on; absent: a made-up one. */
  readonly remote: string | undefined
}

/** All figures of this plugin, the best of some interleaved rounds where there is something beside it. Leaves nothing behind. */
export async function measureModules(options: MeasureOptions): Promise<readonly Figure[]> {
  const reader = await openModuleReader()
  try {
    return await withScratchFolder('satchel-bench', async (dir) => {
      const url =
        options.remote ?? (await buildRemote(join(dir, 'terraform-bench-sample.git'), sampleHistory()))
      options.note(`20 tags of ${url}`)
      const tags = await measureTags({ dir, url, reader }, options)
      options.note('parsing')
      const parse = await measureParsing(sampleTexts(40))
      options.note('500 modules at 3 refs')
      const memory = await measureMemory(dir, options)
      options.note('a check of 200 calls')
      return [...tags, parse, memory, await measureCheck(dir, options)]
    })
  } finally {
    await reader.close()
  }
}

interface Place {
  readonly dir: string
  readonly url: string
  readonly reader: ModuleReader
}

async function measureTags(place: Place, options: MeasureOptions): Promise<Figure[]> {
  const took = { first: [] as number[], again: [] as number[], checkouts: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    options.signal.throwIfAborted()
    const at = join(place.dir, `round-${round}`)
    const first = await timed(() => ingestTags(place, at, options))
    const refs = first.value
    took.first.push(first.ms)
    took.again.push((await timed(() => ingestTags(place, at, options))).ms)
    const peer = { ...place, refs, cloneDir: `${at}-checkout`, outputDir: `${at}-peer` }
    took.checkouts.push((await timed(() => ingestByCheckout(peer))).ms)
    await rm(at, { recursive: true, force: true })
    await rm(peer.cloneDir, { recursive: true, force: true })
  }
  return [
    figureOf({
      ...bestOf({ ours: took.first, against: took.checkouts }, 'at_most'),
      name: 'modules.ingest',
      what: `ingest of ${TAGS} tags`,
      unit: 'ms',
      against_what: 'clone and checkout of each',
      goal: 1 / TIMES_FASTER,
    }),
    figureOf({
      ...bestOf({ ours: took.again, against: took.first }, 'at_most'),
      name: 'modules.again',
      what: 'a second ingest with nothing changed',
      unit: 'ms',
      against_what: 'the first',
      goal: 0.1,
    }),
  ]
}

/** Ingests the newest 20 tags; gives their names. Errors: those of a run, and a run with failures. */
async function ingestTags({ url, reader }: Place, at: string, options: MeasureOptions): Promise<string[]> {
  const outputDir = join(at, 'out')
  const { report } = await ingest({
    ...options,
    entries: [repositoryEntry.parse({ url, max_tags: TAGS })],
    outputDir,
    cloneDir: join(at, 'clones'),
    trust: { kind: 'operator' },
    workingDirectory: at,
    reader,
    now: () => new Date(),
    progress: () => undefined,
  })
  if (report.failures.length > 0)
    throw new Error(`the bench could not ingest: ${report.failures[0]?.message}`)
  const { repositories } = JSON.parse(await readFile(join(outputDir, '.satchel', 'index.json'), 'utf8'))
  return repositories[0].readings.map(({ ref }: { ref: string }) => ref)
}

/** Peak memory of a process of its own that ingests 500 modules at 3 refs. */
async function measureMemory(dir: string, options: MeasureOptions): Promise<Figure> {
  const url = await buildRemote(join(dir, 'terraform-bench-wide.git'), wideHistory())
  const config = join(dir, 'wide.yaml')
  await writeFile(
    config,
    JSON.stringify({
      repositories: [{ url, max_tags: 3, recursive: true }],
      output_dir: join(dir, 'wide-out'),
      clone_dir: join(dir, 'wide-clones'),
    }),
  )
  const [command = '', ...args] = options.program
  const child = spawn(command, [...args, 'ingest', config, '--json', '--quiet'], { stdio: 'ignore' })
  let peakMib = 0
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakMib = Math.max(peakMib, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024)
  }, 20)
  const [code] = await once(child, 'close')
  clearInterval(timer)
  if (code !== 0) throw new Error(`the measured ingest ended with ${code}`)
  return limitFigure({
    name: 'modules.memory',
    what: 'peak resident memory, 500 modules at 3 refs',
    unit: 'MiB',
    ours: peakMib,
    limit: MEMORY_BUDGET_MIB,
  })
}

/** A repository of the usual make: 12 modules, docs and images, 60 commits, 20 tags. */
function sampleHistory(): MadeCommit[] {
  const texts = sampleTexts(60)
  const modules = Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [
      [`modules/m${at}/main.tf`, texts[at] ?? ''],
      [`modules/m${at}/README.md`, `# Module ${at}\n\n${'What this module makes and why. '.repeat(80)}\n`],
    ]).flat(),
  )
  const docs = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`docs/page-${at}.md`, `# Page ${at}\n${noise(at, 6000)}\n`]),
  )
  return [
    {
      files: {
        'main.tf': texts[12] ?? '',
        'README.md': '# Sample\n\nA module to measure.\n',
        ...modules,
        ...docs,
      },
    },
    ...Array.from({ length: 60 }, (_, at): MadeCommit => {
      const pages = Array.from({ length: 12 }, (_unused, page) => [
        `docs/page-${(at * 12 + page) % 300}.md`,
        noise(at * 12 + page + 1000, 6000),
      ])
      const files = {
        ...Object.fromEntries(pages),
        [`modules/m${at % 12}/main.tf`]: texts[at % 60] ?? '',
        'main.tf': texts[(at + 7) % 60] ?? '',
        'CHANGELOG.md': noise(at + 2000, 4000),
      }
      return at % 3 === 0 ? { files, tags: [`v1.${at / 3}.0`] } : { files }
    }),
  ]
}

function wideHistory(): MadeCommit[] {
  const texts = sampleTexts(100)
  const files = (shift: number) =>
    Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [
        [`modules/m${at}/main.tf`, `# ${at}\n${texts[(at + shift) % 100]}`],
        [`modules/m${at}/README.md`, `# Module ${at}\n\n${noise(at, 4000)}\n`],
      ]).flat(),
    )
  return [0, 1, 2].map((shift) => ({ files: files(shift), tags: [`v1.${shift}.0`] }))
}

/** Words that do not compress to nothing, the same for the same seed. */
function noise(seed: number, chars: number): string {
  let state = seed + 1
  let text = ''
  while (text.length < chars) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    text += `${state.toString(36)} `
  }
  return text
}
