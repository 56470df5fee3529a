import { z } from 'zod'
import { counted, defineTool, quoting } from '../../../server/plugin.ts'
import {
  MODULE_NAMES,
  MODULE_REFS,
  moduleNameFields,
  outputDirField,
  removedSinceField,
} from '../answers/shapes.ts'
import { findModule, findVersions } from '../catalog/find.ts'
import { loadVersions } from '../catalog/load-versions.ts'
import { CHANGE_CLASSES, type Change, change } from '../domain/change.ts'
import { diffModules } from '../domain/diff.ts'
import type { ModuleService } from '../service/module-service.ts'
import { byIdOrName } from './get-module.ts'

const { id, repository, path } = moduleNameFields
const changeClass = z.enum(CHANGE_CLASSES)

const SAID = 'the headline says it'

/** `module_diff`: what changed for callers between two refs. */
export function moduleDiffTool(service: ModuleService) {
  return defineTool({
    name: 'module_diff',
    title: 'Compare two versions of a module',
    description:
      'Compares two ingested refs of one module, interface and code, block by block; each change is breaking, minor, review (of uncertain effect) or patch; the verdict is the first of these, none means equal code. Choose it before an upgrade or a release.',
    profile: 'standard',
    input: z.object({
      id,
      repository,
      path,
      from: z.string().max(255).describe('The older ref.'),
      to: z.string().max(255).default('latest').describe('The newer ref.'),
      output_dir: outputDirField,
    }),
    output: z.object({
      repository: z.string(),
      path: z.string(),
      from: z.string(),
      to: z.string(),
      verdict: z.enum([...CHANGE_CLASSES, 'none']),
      changes: quoting(
        z.array(z.object({ class: changeClass, code: z.string(), subject: z.string(), message: z.string() })),
      ),
      counts: z.object({
        breaking: z.number().int(),
        minor: z.number().int(),
        review: z.number().int(),
        patch: z.number().int(),
      }),
      removed_since: removedSinceField,
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'POST', path: '/modules/diff' },
    cli: {
      verb: 'modules diff',
      positional: ['id', 'from', '[to]'],
      completes: { id: MODULE_NAMES, from: MODULE_REFS, to: MODULE_REFS },
      arrange: async (typed) => byIdOrName(typed),
    },
    example: { repository: 'terraform-aws-network', from: 'v1.0.0', to: 'v2.0.0' },
    omits: { '/from': SAID, '/to': SAID, '/verdict': SAID },
    async handler(ctx, input) {
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const index = await service.loadIndex(ctx, outputDir)
      const anchor = input.id === undefined ? input : findModule(index, { id: input.id })
      const name = { repository: anchor.repository, path: anchor.path }
      const before = findModule(index, { ...name, ref: input.from })
      const after = findModule(index, { ...name, ref: input.to })
      const { removedSince } = findVersions(index, { id: before.id })
      const isRemoved = removedSince !== undefined && input.to === 'latest'
      const [older, newer] = await loadVersions(outputDir, [before, after])
      if (older === undefined || newer === undefined) throw new Error('two records give two versions')
      const { repository, path } = before
      const diff = diffModules(older, newer)
      const removed = isRemoved ? [removal(path, removedSince, after.ref)] : []
      const changes = [...removed, ...diff.changes]
      const verdict = removed[0]?.class ?? diff.verdict
      const refs = { from: before.ref, to: after.ref }
      return {
        ...{ repository, path, ...refs, verdict, changes, counts: countsOf(changes) },
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
