import * as z from 'zod'
import { counted, defineTool, inWords, nearest } from '../../../server/plugin.ts'
import { compactModule } from '../answers/compact.ts'
import { type Asked, narrowModule } from '../answers/narrow.ts'
import {
  MODULE_NAMES,
  moduleHead,
  moduleNameFields,
  outputDirField,
  partialSummary,
} from '../answers/shapes.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { refusals } from '../reasons.ts'
import type { ModuleService } from '../service/module-service.ts'
import { createVersionLookup } from '../service/version-lookup.ts'

/** The start of an answer of detail `full` repeats what names the module. */
const REPEATED = 'the first lines say it'
const VALUES = {
  '/module/variables/*/default': 'default_expression',
  '/module/outputs/*/value': 'value_expression',
} as const
const CUT_HINT =
  '[+N characters] marks a text that is cut; fields: ["variables"] or ["outputs"] gives all of it.'

/** `get_module`: one module version, as much of it as asked for. */
export function getModuleTool(service: ModuleService) {
  return defineTool({
    name: 'get_module',
    title: 'Show a module',
    description:
      'A module version: inputs (required first), outputs, providers. Choose it after search_modules. Or match, a text; outputs, names.',
    profile: 'core',
    maxResultChars: 400_000,
    input: () =>
      z.object({
        ...moduleNameFields,
        detail: z.enum(['compact', 'full', 'readme']).default('compact').describe('compact: cut.'),
        fields: z.array(z.string().max(40)).max(30).optional().describe('Only: required, outputs …'),
        inputs: z.array(z.string().max(255)).max(100).optional().describe('Types by path.'),
        outputs: inWords(
          z.array(z.string().max(255)).max(100).optional().describe('Only these outputs; `*`: all.'),
        ),
        match: inWords(
          z.string().min(1).max(100).optional().describe('Only inputs and outputs with this text.'),
        ),
        output_dir: outputDirField,
      }),
    output: () =>
      moduleHead.extend({
        commit: z.string(),
        hint: z.string().optional(),
        module: partialSummary,
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http: { method: 'GET', path: '/modules/{id}' },
    cli: {
      verb: 'modules show',
      positional: ['[id]'],
      completes: { id: MODULE_NAMES },
      arrange: async (typed) => byIdOrName(typed),
      example: 'satchel modules show terraform-aws-network --match cidr',
    },
    example: { id: '225f968df4c9', detail: 'compact' },
    omits: {
      '/commit': 'a hash; the ref names the version',
      '/module/repository': REPEATED,
      '/module/name': REPEATED,
      '/module/ref': REPEATED,
      '/module/ref_kind': REPEATED,
      '/module/path': REPEATED,
      '/module/kind': REPEATED,
    },
    literals: VALUES,
    async handler(ctx, input) {
      const outputDir = await service.outputDir(ctx, input.output_dir)
      const index = await service.loadIndex(ctx, outputDir)
      const record = await createVersionLookup(service, ctx, { outputDir, index }).module(input)
      const summary = await service.summary(outputDir, record)
      const { id, repository, name, ref, ref_kind, path, kind, provider, commit } = record
      const head = { id, repository, name, ref, ref_kind, path, kind, provider, commit }
      return { ...head, ...shown(summary, input) }
    },
    headline({ name, path, ref, provider, module }) {
      const directory = path === '.' ? '' : `//${path}`
      const parts = [
        ...(module.variables ? [inputsText(module.variables)] : []),
        ...(module.outputs ? [counted(module.outputs.length, 'output')] : []),
      ]
      const shown = parts.length > 0 ? parts : Object.keys(module)
      return `${name}${directory}@${ref} (${provider}): ${shown.join(', ') || 'nothing of it'}`
    },
  })
}

interface Wish extends Asked {
  readonly fields?: readonly string[] | undefined
  readonly detail: 'compact' | 'full' | 'readme'
}

function shown(summary: ModuleSummary, wish: Wish): { module: Record<string, unknown>; hint?: string } {
  const { inputs, outputs, match, fields, detail } = wish
  if (inputs !== undefined || outputs !== undefined || match !== undefined)
    return { module: narrowModule(summary, wish) }
  if (fields !== undefined) {
    const isPart = fields.includes(REQUIRED) && !fields.includes('variables')
    const hint = `Only the inputs that have no default, of ${counted(summary.variables.length, 'input')}.`
    return { ...(isPart && { hint }), module: pick(summary, fields) }
  }
  if (detail === 'full') return { module: { ...summary } }
  if (detail === 'readme') return { module: { readme_content: summary.readme_content } }
  const { module, isCut } = compactModule(summary)
  return { ...(isCut && { hint: CUT_HINT }), module }
}

/** Rows of a place in a value (`rules[].port`) are not inputs. */
function inputsText(rows: readonly Record<string, unknown>[]): string {
  const inputs = rows.filter((row) => !/[.[]/.test(String(row['name'])))
  const required = inputs.filter((input) => input['required'] === true)
  return `${counted(inputs.length, 'input')} (${required.length} required)`
}

/** In place of a field: the inputs without a default, as the compact view shows them. */
const REQUIRED = 'required'

/** Errors: `invalid`/`options_invalid` for a field that no summary has. */
function pick(summary: ModuleSummary, fields: readonly string[]): Record<string, unknown> {
  const known = [...Object.keys(summary), 'readme_truncated', REQUIRED] // the former only stated where it is true
  const unknown = fields.find((field) => !known.includes(field))
  if (unknown !== undefined) {
    const near = nearest(unknown, known)
    const hint = near === undefined ? `Fields: ${known.join(', ')}.` : `Did you mean "${near}"?`
    throw refusals.field_unknown({ field: JSON.stringify(unknown), hint })
  }
  const picked = Object.entries(summary).filter(([field]) => fields.includes(field))
  if (!fields.includes(REQUIRED) || fields.includes('variables')) return Object.fromEntries(picked)
  const required = summary.variables.filter((input) => input.required)
  return {
    variables: compactModule({ ...summary, variables: required }).module['variables'],
    ...Object.fromEntries(picked),
  }
}

/** At the command line the first word may be an id, or a repository by name. */
export function byIdOrName(typed: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { id, ...rest } = typed
  if (typeof id !== 'string' || /^[0-9a-f]{8,64}$/.test(id)) return { ...typed }
  return { ...rest, repository: id }
}
