import * as z from 'zod'
import { counted, defineTool, quoting } from '../../../server/plugin.ts'
import {
  MODULE_NAMES,
  MODULE_REFS,
  moduleNameFields,
  outputDirField,
  removedSinceField,
} from '../answers/shapes.ts'
import { latestRefBeside } from '../catalog/latest-read.ts'
import { loadVersions } from '../catalog/load-versions.ts'
import { createRemovals } from '../catalog/removed-paths.ts'
import { CHANGE_CLASSES, type Change, change } from '../domain/change.ts'
import { diffModules } from '../domain/diff.ts'
import type { ModuleService } from '../service/module-service.ts'
import { createVersionLookup } from '../service/version-lookup.ts'
import { byIdOrName } from './get-module.ts'

const { id, repository, path } = moduleNameFields
const changeClass = z.enum(CHANGE_CLASSES)

const SAID = 'the headline says it'

const changeCounts = z.object({
  breaking: z.number().int(),
  minor: z.number().int(),
  review: z.number().int(),
  patch: z.number().int(),
})

const input = () =>
  z.object({
    id,
    repository,
    path,
    from: z.string().max(255).describe('The older ref.'),
    to: z.string().max(255).default('latest').describe('The newer ref.'),
    output_dir: outputDirField,
  })

/** `module_diff`: what changed for callers between two refs. */
export function moduleDiffTool(service: ModuleService) {
  return defineTool({
    name: 'module_diff',
    title: 'Compare two versions of a module',
    description:
      'Compares two ingested refs of one module, interface and code, block by block; each change is breaking, minor, review (of uncertain effect) or patch; the verdict is the first of these, none means equal code. Choose it before an upgrade or a release.',
    profile: 'standard',
    input,
    output: () =>
      z.object({
        repository: z.string(),
        path: z.string(),
        from: z.string(),
        to: z.string(),
        verdict: z.enum([...CHANGE_CLASSES, 'none']),
        changes: quoting(
          z.array(
            z.object({ class: changeClass, code: z.string(), subject: z.string(), message: z.string() }),
          ),
        ),
        counts: changeCounts,
        removed_since: removedSinceField,
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'POST', path: '/modules/diff' },
    cli: {
      verb: 'modules diff',
      positional: ['id', 'from', '[to]'],
      completes: { id: MODULE_NAMES, from: MODULE_REFS, to: MODULE_REFS },
      arrange: async (typed) => byIdOrName(typed),
      example: 'satchel modules diff terraform-aws-network v1.0.0 v2.0.0',
    },
    example: { repository: 'terraform-aws-network', from: 'v1.0.0', to: 'v2.0.0' },
    omits: { '/from': SAID, '/to': SAID, '/verdict': SAID },
    async handler(ctx, input) {
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const index = await service.loadIndex(ctx, outputDir)
      const lookup = createVersionLookup(service, ctx, { outputDir, index })
      const anchor = input.id === undefined ? input : await lookup.module({ id: input.id })
      const named = { repository: anchor.repository, path: anchor.path }
      const before = await lookup.module({ ...named, ref: input.from })
      const to = input.to === 'latest' ? latestRefBeside(index, before) : input.to
      const after = await lookup.module({ ...named, ref: to })
      const { repository, path } = before
      const removedSince = createRemovals(index)(repository, path)
      const [older, newer] = await loadVersions(outputDir, [before, after])
      if (older === undefined || newer === undefined) throw new Error('two records give two versions')
      const diff = diffModules(older, newer)
      const since = input.to === 'latest' ? removedSince : undefined
      const removed = since === undefined ? [] : [removal(path, since, after.ref)]
      const changes = [...removed, ...diff.changes]
      const told = { verdict: removed[0]?.class ?? diff.verdict, changes, counts: countsOf(changes) }
      return {
        ...{ repository, path, from: before.ref, to: after.ref, ...told },
        ...(removedSince !== undefined && { removed_since: removedSince }),
      }
    },
    headline: ({ path, from, to, verdict, changes, counts }) => {
      const review = counts.review === 0 ? '' : `, ${counts.review} for review`
      return `${path === '.' ? '' : `${path} `}${from} -> ${to}: ${verdict}, ${counted(changes.length, 'change')}${review}`
    },
  })
}

/** The newest release is the latest, and it has no such module. */
function removal(path: string, since: string, last: string): Change {
  const message = `The module was removed in ${since}; ${last} was the last release with it.`
  return change('breaking', 'module_removed', path, message)
}

function countsOf(changes: readonly Change[]) {
  const count = (wanted: Change['class']): number =>
    changes.filter((change) => change.class === wanted).length
  return {
    breaking: count('breaking'),
    minor: count('minor'),
    review: count('review'),
    patch: count('patch'),
  }
}
