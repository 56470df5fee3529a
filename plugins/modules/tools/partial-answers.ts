import type { z } from 'zod'
import {
  type CallContext,
  changedTool,
  counted,
  errorBody,
  errorFromBody,
  isSatchelError,
  type Tool,
} from '../../../server/plugin.ts'
import { partialField } from '../answers/shapes.ts'
import type { ModuleService } from '../service/module-service.ts'
import {
  createFirstReading,
  type FirstReading,
  loadPartialStore,
  namedRepositories,
  type PartialStore,
} from '../service/partial-store.ts'
import { searchTargetOf } from '../service/search-target.ts'

/** Makes tools that read summaries say what these lack. */
export interface PartialAnswers {
  /**
   * The tool, with `partial` in its answers and refusals while an ingest runs or after it failed in part. Over MCP a
   * call waits for the repositories that it names, if the running ingest is the first to read them.
   */
  saying<I extends z.ZodObject, O extends z.ZodObject>(tool: Tool<I, O>): Tool<I, O>
}

/** Reads nothing before a tool is called. */
export function createPartialAnswers(service: ModuleService): PartialAnswers {
  const reading = createFirstReading(() => service.freshness.isRunning())
  return {
    saying: (tool) =>
      changedTool<typeof tool>(tool, {
        output: () => tool.output.extend({ partial: partialField }) as unknown as typeof tool.output, // with one field more
        handler: (ctx, input) => answer({ service, reading, ctx }, input, () => tool.handler(ctx, input)),
        headline: (output) => withPartial(tool.headline(output), partialField.parse(output['partial'])),
      }),
  }
}

interface Asking {
  readonly service: ModuleService
  readonly reading: FirstReading
  readonly ctx: CallContext
}

async function answer<T extends object>(
  { service, reading, ctx }: Asking,
  input: Readonly<Record<string, unknown>>,
  handle: () => Promise<T>,
): Promise<T> {
  const outputDir = await outputDirOf(service, ctx, input)
  const waited = async (): Promise<void> => {
    const named = ctx.door === 'mcp' ? await namedRepositories(input, ctx.signal) : []
    if (named.length > 0) await reading.wait(outputDir, named, ctx.signal)
  }
  await waited()
  // Before the index is read: a run that ends meanwhile may have added what is said to be missing, never the reverse.
  let partial = await loadPartialStore(outputDir)
  try {
    return said(await handle(), partial)
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    if (thrown.reason !== 'first_ingest_running') throw told(thrown, partial)
    await waited()
    partial = await loadPartialStore(outputDir)
    try {
      return said(await handle(), partial)
    } catch (again) {
      throw told(again, partial)
    }
  }
}

async function outputDirOf(
  service: ModuleService,
  ctx: CallContext,
  { output_dir, config_file }: Readonly<Record<string, unknown>>,
): Promise<string> {
  if (typeof config_file === 'string') return (await searchTargetOf(service, ctx, config_file)).outputDir
  return await service.outputDir(ctx, typeof output_dir === 'string' ? output_dir : undefined)
}

function said<T extends object>(answer: T, partial: PartialStore | undefined): T {
  return partial === undefined ? answer : { ...answer, partial }
}

/** What is not found may be what is missing. */
const MISSING: ReadonlySet<string> = new Set([
  'module_not_found',
  'no_index',
  'call_not_indexed',
  'call_ref_unknown',
  'target_ref_unknown',
])

function told(thrown: unknown, partial: PartialStore | undefined): unknown {
  if (partial === undefined || !isSatchelError(thrown) || !MISSING.has(thrown.reason)) return thrown
  const body = errorBody(thrown)
  const message = `${body.message} ${countText(partial)}. ${partial.next}`
  return errorFromBody({ ...body, message, details: { ...body.details, partial } }, thrown)
}

/** Length of a headline. */
const MAX_CHARS = 300

function withPartial(headline: string, partial: PartialStore | undefined): string {
  if (partial === undefined) return headline
  const whole = `${headline} (${countText(partial)})`
  return whole.length <= MAX_CHARS ? whole : headline
}

function countText({ state, repositories, read, failures }: PartialStore): string {
  const parts = [
    `${read} of ${repositories} repositories are there`,
    ...(failures === 0 ? [] : [counted(failures, 'failure')]),
    ...(state === 'running' ? ['an ingest is running'] : []),
  ]
  return `incomplete: ${parts.join(', ')}`
}
