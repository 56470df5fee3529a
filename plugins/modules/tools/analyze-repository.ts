import * as z from 'zod'
import { type CallContext, counted, defineTool, errorFromBody } from '../../../server/plugin.ts'
import { asShape, failureRow, summaryShape } from '../answers/shapes.ts'
import type { Trust } from '../git/admission.ts'
import type { ModuleService } from '../service/module-service.ts'

const input = () =>
  z.object({
    repository_url: z
      .string()
      .max(4096)
      .describe(
        'Git URL (https, ssh, user@host:path, file), local path, or registry address [host/]namespace/name/provider.',
      ),
    branches: z
      .array(z.string())
      .default([])
      .describe('Branches to read; none and no tags: the default branch.'),
    include_tags: z.boolean().default(false).describe('Read tags, newest first.'),
    max_tags: z.number().int().min(0).nullable().default(1).describe('How many tags; 0 or null: all.'),
    path: z.string().default('.').describe('Directory of the module inside the repository.'),
    recursive: z.boolean().default(false).describe('Read every module directory below path.'),
  })

/** `POST /analyze` and `satchel analyze` (spec module-ingestion "Endpoints"). */
export function analyzeRepositoryTool(service: ModuleService) {
  return defineTool({
    name: 'analyze_repository',
    title: 'Analyze one repository',
    description:
      'Reads the modules of one repository and answers with their summaries; nothing is written and no clone is kept. Without branches and tags it reads the default branch. When nothing at all could be read, the answer is the first failure as an error.',
    profile: 'full',
    mcp: false,
    input,
    output: () =>
      z.object({
        summaries: z.array(summaryShape),
        count: z.number().int(),
        message: z.string(),
        failures: z.array(failureRow),
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    http: { method: 'POST', path: '/analyze' },
    cli: {
      verb: 'analyze',
      positional: ['repository_url'],
      short: { branches: 'b' },
      long: { branches: 'branch' },
      found: (answer) => hasFailures(answer),
      save: (answer) => `${JSON.stringify(summariesIn(answer), null, 2)}\n`,
    },
    example: { repository_url: './terraform-aws-network' },
    handler: (ctx, request) => run(service, ctx, request),
    headline: ({ message }) => message,
    omits: {
      '/message': 'the headline says it',
      '/count': 'the headline says it',
      '/summaries/*/schema': 'the format of the summary file',
      '/summaries/*/commit': 'a hash; the ref names the version',
    },
    literals: {
      '/summaries/*/variables/*/default': 'default_expression',
      '/summaries/*/outputs/*/value': 'value_expression',
    },
  })
}

async function run(service: ModuleService, ctx: CallContext, request: z.output<ReturnType<typeof input>>) {
  const [{ analyze }, { openModuleReader }, { baseFor, callerTrust }] = await Promise.all([
    import('../ingest/analyze.ts'),
    import('../ingest/module-reader.ts'),
    import('../service/ingest-request.ts'),
  ])
  const { repository_url: url, ...rest } = request
  const reader = await openModuleReader()
  const trust: Trust = ctx.door === 'cli' ? { kind: 'operator' } : callerTrust(service, ctx)
  try {
    const { summaries, failures } = await analyze(
      { ...rest, url, exclude_paths: [] },
      {
        ...ctx,
        trust,
        workingDirectory: baseFor(service, trust),
        env: service.host.env,
        now: () => service.host.now(),
        reader,
      },
    )
    const [first] = failures
    if (summaries.length === 0 && first) throw errorFromBody(first)
    const message = `${counted(summaries.length, 'module')}, ${counted(failures.length, 'failure')}`
    return { summaries: summaries.map(asShape), count: summaries.length, message, failures: [...failures] }
  } finally {
    await reader.close()
  }
}

function hasFailures(answer: unknown): boolean {
  const parsed = z.object({ failures: z.array(z.unknown()) }).safeParse(answer)
  return parsed.success && parsed.data.failures.length > 0
}

function summariesIn(answer: unknown): unknown {
  return z.object({ summaries: z.unknown() }).parse(answer).summaries
}
