import type { ClientFacts } from '../client-facts.ts'
import type { CallContext } from '../contract/context.ts'
import { isSatchelError } from '../contract/errors.ts'
import type { Tool } from '../contract/tool.ts'
import type { RunningHost } from '../host.ts'
import { meanFinding, type ToolFinding, toolFindings } from './tool-rules.ts'

/** Maximum length of a headline. */
const HEADLINE_MAX_CHARS = 300

/** Codes with which an example may fail in an empty project, because the named object is missing. */
const FAILS_FAIRLY: readonly string[] = ['not_found', 'unauthorized', 'conflict', 'unavailable']

/** The descriptor of a tool in `tools/list`. */
export type Descriptor = Readonly<Record<string, unknown>>

/**
 * Checks every tool of the host against the rules, then calls each closed-world tool with its own example.
 * The project of the host must be a temporary folder.
 */
export async function checkPlugin(
  host: RunningHost,
  descriptors: readonly Descriptor[],
  clients: readonly ClientFacts[],
  context: CallContext,
): Promise<readonly ToolFinding[]> {
  const findings: ToolFinding[] = []
  for (const descriptor of descriptors) {
    const owned = host.registry.tool(String(descriptor['name']))
    if (!owned) continue
    findings.push(...toolFindings(owned.tool, descriptor, clients))
    const wrong = await exampleProblem(host, owned, context)
    if (wrong !== undefined) findings.push({ rule: 'example', tool: owned.tool.name, detail: wrong })
  }
  return [...findings, ...meanFinding(descriptors)]
}

async function exampleProblem(
  host: RunningHost,
  owned: { readonly tool: Tool; readonly plugin: string },
  context: CallContext,
): Promise<string | undefined> {
  const { tool } = owned
  const misfit = inputProblem(tool)
  if (misfit !== undefined) return misfit
  if (tool.annotations.openWorld) return undefined
  try {
    const answer = await host.call(owned, tool.example, context)
    return answer.kind === 'done' ? headlineProblem(tool, answer.data) : undefined
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    if (FAILS_FAIRLY.includes(thrown.code)) return undefined
    const cause = thrown.cause instanceof Error ? `: ${thrown.cause.message}` : ''
    return `the example fails with ${thrown.code}/${thrown.reason}${cause}`
  }
}

/** Input is parsed synchronously: a schema with an asynchronous refinement throws. */
function inputProblem({ input, example }: Tool): string | undefined {
  try {
    const { success, error } = input.safeParse(example)
    return success ? undefined : `the example does not fit the input: ${error.issues[0]?.message ?? ''}`
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    return `the input is not checked synchronously; do what takes time in the handler: ${why}`
  }
}

function headlineProblem(tool: Tool, data: Record<string, unknown>): string | undefined {
  let headline: unknown // a plugin in JavaScript may give anything
  try {
    headline = tool.headline(data)
  } catch (thrown) {
    return `the headline of the example fails: ${thrown instanceof Error ? thrown.message : String(thrown)}`
  }
  if (typeof headline !== 'string') return 'the headline of the example is not a text'
  if (headline.trim() === '') return 'the headline of the example is empty'
  if (headline.includes('\n')) return 'the headline of the example has several lines'
  if (headline.length <= HEADLINE_MAX_CHARS) return undefined
  return `the headline of the example has ${headline.length} characters, the limit is ${HEADLINE_MAX_CHARS}`
}
