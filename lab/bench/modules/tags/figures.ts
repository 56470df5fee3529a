/** What the verdicts of `module_diff` are worth on the tags of real repositories. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CHANGE_CLASSES } from '../../../../plugins/modules/domain/change.ts'
import { openModuleReader } from '../../../../plugins/modules/ingest/module-reader.ts'
import type { LabContext } from '../../../context.ts'
import { type Figure, figureOf } from '../../figure.ts'
import { type Bump, readTagPairs, type TagPair } from './tag-pairs.ts'

const VERDICTS = [...CHANGE_CLASSES, 'none'] as const
const BUMPS: readonly Bump[] = ['major', 'minor', 'patch']
/** At most this share of all pairs may be left to the reader. */
const REVIEW_SHARE = 0.25

/** Reads the tags of bare repositories (or of folders of them) and judges each consecutive pair. */
export async function measureTags(
  context: LabContext,
  directories: readonly string[],
): Promise<readonly Figure[]> {
  const reader = await openModuleReader()
  const pairs: TagPair[] = []
  try {
    for (const directory of directories) {
      for (const repository of await repositoriesIn(directory)) {
        context.signal.throwIfAborted()
        const found = await readTagPairs(repository, reader, context)
        pairs.push(...found)
        context.note(`${repository}: ${found.length} pairs`)
      }
    }
  } finally {
    await reader.close()
  }
  context.note(pairTable(pairs))
  return tagFigures(pairs)
}

/** Verdict against bump, as text. */
export function pairTable(pairs: readonly TagPair[]): string {
  const rows = VERDICTS.map((verdict) => {
    const counts = BUMPS.map(
      (bump) => pairs.filter((one) => one.verdict === verdict && one.bump === bump).length,
    )
    return [verdict, ...counts.map(String)]
  })
  return [['verdict', ...BUMPS], ...rows]
    .map((row) =>
      row
        .map((cell) => cell.padEnd(10))
        .join('')
        .trimEnd(),
    )
    .join('\n')
}

/** The promises of `module_diff`, each with the pairs it was counted on. */
export function tagFigures(pairs: readonly TagPair[]): readonly Figure[] {
  const changed = pairs.filter((pair) => pair.changed)
  const majors = changed.filter(({ bump }) => bump === 'major')
  const share = (
    name: string,
    what: string,
    of: readonly TagPair[],
    holds: (pair: TagPair) => boolean,
  ): Figure =>
    figureOf({
      name: `modules.diff_${name}`,
      what,
      unit: 'pairs',
      // No such pair: nothing that could be wrong.
      ours: of.length === 0 ? 1 : of.filter(holds).length,
      against: Math.max(1, of.length),
      against_what: 'all such pairs',
      goal: 1,
      gate: 1,
      sense: 'at_least',
    })
  return [
    share(
      'changed',
      'pairs with changed code that are not called none',
      changed,
      ({ verdict }) => verdict !== 'none',
    ),
    share('major', 'majors with changed code called breaking, review or minor', majors, ({ verdict }) =>
      ['breaking', 'review', 'minor'].includes(verdict),
    ),
    figureOf({
      name: 'modules.diff_review',
      what: 'pairs that are left to the reader',
      unit: 'pairs',
      ours: pairs.filter(({ verdict }) => verdict === 'review').length,
      against: Math.max(1, pairs.length),
      against_what: 'all pairs',
      goal: REVIEW_SHARE,
      gate: REVIEW_SHARE,
    }),
  ]
}

/** The directory itself when it is a bare repository, else the bare repositories up to two levels below. */
export async function repositoriesIn(directory: string, depth = 2): Promise<string[]> {
  const isRepository = await stat(join(directory, 'objects')).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (isRepository) return [directory]
  if (depth === 0) return []
  const below = await readdir(directory, { withFileTypes: true })
  const names = below.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const found: string[] = []
  for (const name of names.sort()) found.push(...(await repositoriesIn(join(directory, name), depth - 1)))
  return found
}
