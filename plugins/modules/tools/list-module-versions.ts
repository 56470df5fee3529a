import * as z from 'zod'
import { counted, defineTool } from '../../../server/plugin.ts'
import { removedText } from '../answers/result-rows.ts'
import {
  MODULE_NAMES,
  moduleNameFields,
  outputDirField,
  removedSinceField,
  versionRow,
} from '../answers/shapes.ts'
import { findVersions } from '../catalog/find.ts'
import type { ModuleService } from '../service/module-service.ts'
import { guessMovedPath } from '../service/moved-path.ts'
import { byIdOrName } from './get-module.ts'

/** `list_module_versions`: every ingested ref of one module, newest first. */
export function listModuleVersionsTool(service: ModuleService) {
  const { id, repository, path } = moduleNameFields
  return defineTool({
    name: 'list_module_versions',
    title: 'List versions of a module',
    description:
      'Lists the ingested tags and branches of one module, newest stable version first, with id, commit and counts; `latest` marks the one that is used when no ref is given. Choose it before module_diff or to pin a version.',
    profile: 'standard',
    input: () => z.object({ id, repository, path, output_dir: outputDirField }),
    output: () =>
      z.object({
        repository: z.string(),
        path: z.string(),
        versions: z.array(versionRow),
        removed_since: removedSinceField,
        moved_to: z.string().optional().describe('A guess.'),
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'GET', path: '/modules/{id}/versions' },
    cli: {
      verb: 'modules versions',
      positional: ['[id]'],
      completes: { id: MODULE_NAMES },
      arrange: async (typed) => byIdOrName(typed),
      example: 'satchel modules versions terraform-aws-network',
    },
    example: { id: '225f968df4c9' },
    omits: { '/versions/*/commit': 'a hash; the ref names the version' },
    async handler(ctx, input) {
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const index = await service.loadIndex(ctx, outputDir)
      const found = findVersions(index, input, service.config.registry_aliases)
      const { latest, removedSince: since } = found
      const moved = since && (await guessMovedPath(service, outputDir, { index, last: latest, since }))
      const versions = found.versions.map((record) => ({
        id: record.id,
        ref: record.ref,
        ref_kind: record.ref_kind,
        commit: record.commit,
        counts: record.counts,
        latest: record.id === found.latest.id,
      }))
      return {
        ...{ repository: found.repository, path: found.path, versions },
        ...(since !== undefined && { removed_since: since }),
        ...(moved && { moved_to: moved }),
      }
    },
    headline({ repository, path, versions, removed_since }) {
      const latest = versions.find((version) => version.latest)
      return `${repository} ${path}: ${counted(versions.length, 'version')}${latest ? `, latest ${latest.ref}` : ''}${removedText(removed_since)}`
    },
  })
}
