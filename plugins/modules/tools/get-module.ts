import { z } from 'zod'
import { counted, defineTool, nearest } from '../../../server/plugin.ts'
import { compactPage } from '../answers/compact.ts'
import { cursorAt, parseCursor } from '../answers/page.ts'
import {
  moduleHead,
  moduleNameFields,
  outputDirField,
  partialSummary,
  truncation,
} from '../answers/shapes.ts'
import { findModule } from '../catalog/find.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { refusals } from '../reasons.ts'
import type { ModuleService } from '../service/module-service.ts'

const README_PAGE_CHARS = 12_000

/** `get_module`: one module version, as much of it as asked for. */
export function getModuleTool(service: ModuleService) {
  return defineTool({
    name: 'get_module',
    title: 'Show a module',
    description:
      'A module version: inputs (required first), outputs, providers. Choose it after search_modules; `truncated` holds the next call.',
    profile: 'core',
    maxResultChars: 400_000,
    input: z.object({
      ...moduleNameFields,
      detail: z.enum(['compact', 'full', 'readme']).default('compact').describe('compact: 4,000 tokens.'),
      fields: z.array(z.string().max(40)).max(30).optional().describe('Only these, whole: outputs …'),
      cursor: z.string().max(40).optional().describe('From `truncated.next`.'),
      output_dir: outputDirField,
    }),
    output: moduleHead.extend({
      commit: z.string(),
      module: partialSummary,
      truncated: truncation.optional(),
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'GET', path: '/modules/{id}' },
    cli: { verb: 'modules show', positional: ['[id]'], arrange: async (typed) => byIdOrName(typed) },
    example: { id: '225f968df4c9', detail: 'compact' },
    async handler(ctx, input) {
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const record = findModule(await service.loadIndex(ctx, outputDir), input)
      const summary = await service.summary(outputDir, record)
      const { id, repository, name, ref, ref_kind, path, kind, provider, commit } = record
      const head = { id, repository, name, ref, ref_kind, path, kind, provider, commit }
      const from = parseCursor(input.cursor, 'get_module')
      const more = (next: number) => ({
        truncated: {
          reason: 'size',
          next: { tool: 'get_module', args: { ...input, id, cursor: cursorAt(next, 'get_module') } },
        },
      })
      if (input.fields !== undefined) return { ...head, module: pick(summary, input.fields) }
      if (input.detail === 'full') return { ...head, module: { ...summary } }
      if (input.detail === 'readme') {
        const to = from + README_PAGE_CHARS
        const module = { readme_content: summary.readme_content.slice(from, to) }
        return { ...head, module, ...(to < summary.readme_content.length && more(to)) }
      }
      const { module, nextRow } = compactPage(summary, from)
      return { ...head, module, ...(nextRow !== undefined && more(nextRow)) }
    },
    headline({ id, name, path, ref, provider, module, truncated }) {
      const directory = path === '.' ? '' : `//${path}`
      const more = truncated ? ', more follow' : ''
      const head = `${name}${directory}@${ref} (${provider}), id ${id.slice(0, 12)}`
      const inputs = module.variables
      if (inputs === undefined) return `${head}\nshown: ${Object.keys(module).join(', ')}${more}`
      const required = inputs.filter((input) => input['required'] === true).map((input) => input.name)
      const outputs = module.outputs === undefined ? '' : ` and ${counted(module.outputs.length, 'output')}`
      // Required inputs are on the first page, which begins with the description.
      const isKnown = required.length > 0 || module.description !== undefined
      return [
        head,
        ...(isKnown ? [`required inputs: ${required.slice(0, 30).join(', ') || 'none'}`] : []),
        `${counted(inputs.length, 'input')}${outputs} shown${more}`,
      ].join('\n')
    },
  })
}

/** Errors: `invalid`/`options_invalid` for a field that no summary has. */
function pick(summary: ModuleSummary, fields: readonly string[]): Record<string, unknown> {
  const known = [...Object.keys(summary), 'readme_truncated'] // only stated where it is true
  const unknown = fields.find((field) => !known.includes(field))
  if (unknown !== undefined) {
    const near = nearest(unknown, known)
    const hint = near === undefined ? `Fields: ${known.join(', ')}.` : `Did you mean "${near}"?`
    throw refusals.field_unknown({ field: JSON.stringify(unknown), hint })
  }
  return Object.fromEntries(Object.entries(summary).filter(([field]) => fields.includes(field)))
}

/** At the command line the first word may be an id, or a repository by name. */
export function byIdOrName(typed: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { id, ...rest } = typed
  if (typeof id !== 'string' || /^[0-9a-f]{8,64}$/.test(id)) return { ...typed }
  return { ...rest, repository: id }
}
