/** What Terraform itself says of calls. Of their modules only inputs and outputs are kept, so that no provider is needed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { GivenBlock } from '../../../../plugins/modules/domain/check.ts'
import type { GivenValue } from '../../../../plugins/modules/domain/given-value.ts'
import type { ModuleSummary, Variable } from '../../../../plugins/modules/domain/summary.ts'
import { withTexts } from '../../../../plugins/modules/hcl/attribute.ts'
import { withScratchFolder } from '../../../../server/plugin.ts'
import type { LabContext } from '../../../context.ts'

/** A call, the module that it is of, and an output of it that is read. */
export interface AskedCall {
  readonly block: GivenBlock
  readonly summary: ModuleSummary
  readonly read?: string | undefined
}

/** `error` is the first thing that Terraform refuses, absent where it accepts the call; `unknown`: its module cannot be loaded. */
export type Answer = { readonly kind: 'known'; readonly error?: string } | { readonly kind: 'unknown' }

interface Asking extends Pick<LabContext, 'env' | 'signal'> {
  /** The command of Terraform or OpenTofu. */
  readonly terraform: string
}

/** As many calls are in one configuration: errors of some keep Terraform from looking for others, so it is asked repeatedly. */
const CALLS_OF_RUN = 200

/** The answer to each call, in the same order. Arguments that are not literals are unknown values of any type. */
export async function askTerraform(calls: readonly AskedCall[], asking: Asking): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let at = 0; at < calls.length; at += CALLS_OF_RUN) {
    asking.signal.throwIfAborted()
    const some = calls.slice(at, at + CALLS_OF_RUN)
    answers.push(...(await withScratchFolder('satchel-terraform', (dir) => answersIn(dir, some, asking))))
  }
  return answers
}

async function answersIn(dir: string, calls: readonly AskedCall[], asking: Asking): Promise<Answer[]> {
  const modules = [...new Set(calls.map(({ summary }) => summary))]
  await writeConfiguration(dir, calls, modules)
  const answers = new Map<number, Answer>()
  for (;;) {
    const found = await errorsIn(dir, asking)
    if (found.length === 0) return calls.map((_, at) => answers.get(at) ?? { kind: 'known' })
    const judged = found.flatMap(({ file, error }): { at: number; answer: Answer }[] => {
      const [, kind, number] = /(?:^|\/)(c|m)(\d+)(?:\.tf\.json|\/main\.tf\.json)$/.exec(file) ?? []
      if (kind === 'c') return [{ at: Number(number), answer: { kind: 'known', error } }]
      const ofModule = [...calls.keys()].filter((at) => calls[at]?.summary === modules[Number(number)])
      return ofModule.map((at) => ({ at, answer: { kind: 'unknown' } }))
    })
    const fresh = judged.filter(({ at }) => !answers.has(at))
    if (fresh.length === 0) throw new Error(`Terraform refuses the bench: ${JSON.stringify(found[0])}`)
    for (const { at, answer } of fresh.toReversed()) answers.set(at, answer) // the first error counts
    for (const { at } of fresh) await rm(join(dir, `c${at}.tf.json`), { force: true })
  }
}

async function writeConfiguration(
  dir: string,
  calls: readonly AskedCall[],
  modules: readonly ModuleSummary[],
): Promise<void> {
  for (const [at, summary] of modules.entries())
    await writeJson(join(dir, `modules/m${at}`, 'main.tf.json'), interfaceOf(summary))
  await writeJson(join(dir, 'any.tf.json'), { variable: { any: { type: 'any' } } })
  for (const [at, call] of calls.entries()) {
    const directory = `m${modules.indexOf(call.summary)}`
    await writeJson(join(dir, `c${at}.tf.json`), callText(`c${at}`, directory, call))
  }
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true })
  await writeFile(path, JSON.stringify(value))
}

/** The inputs with type, default and null, and the outputs; validation rules are left out. */
function interfaceOf({ variables, outputs }: ModuleSummary): unknown {
  const inputs = variables.map((one) => [one.name, inputOf(one)])
  const given = outputs.map(({ name }) => [name, { value: '' }])
  return {
    // An empty object of blocks is refused.
    ...(inputs.length > 0 && { variable: Object.fromEntries(inputs) }),
    ...(given.length > 0 && { output: Object.fromEntries(given) }),
  }
}

function inputOf({ type, required, nullable, default: given, default_expression }: Variable): unknown {
  const isStated = !required && default_expression !== true
  return {
    type,
    ...(!required && { default: isStated ? given : null }),
    ...(nullable === false && isStated && { nullable }),
  }
}

function callText(name: string, directory: string, { block, read }: AskedCall): unknown {
  const meta = block.meta ?? new Map()
  const call = {
    ...Object.fromEntries(block.inputs.map((input) => [input.name, jsonOf(input.value)])),
    ...(meta.has('count') && { count: 1 }),
    ...(meta.has('for_each') && { for_each: {} }),
    ...(block.version !== undefined && { version: block.version }),
    source: `./modules/${directory}`,
  }
  const isMany = meta.has('count') || meta.has('for_each')
  const output = { [name]: { value: `\${module.${name}.${read}}`, sensitive: true } }
  return { module: { [name]: call }, ...(read !== undefined && !isMany && { output }) }
}

/** A value in the JSON syntax of Terraform, where a text is a template. */
function jsonOf(value: GivenValue): unknown {
  if (value.kind === 'list') return value.items.map(jsonOf)
  if (value.kind === 'object')
    return Object.fromEntries(value.entries.map(([key, inner]) => [escaped(key), jsonOf(inner)]))
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Terraform
  return value.kind === 'literal' ? withTexts(value.value, escaped) : '${var.any}'
}

function escaped(literal: string): string {
  return literal.replace(/[$%](?=\{)/g, '$&$&')
}

interface TerraformError {
  readonly file: string
  readonly error: string
}

interface Diagnostic {
  readonly severity: string
  readonly summary: string
  readonly detail?: string
  readonly range?: { readonly filename: string }
}

async function errorsIn(dir: string, asking: Asking): Promise<readonly TerraformError[]> {
  const init = await run(dir, ['init', '-backend=false', '-input=false', '-json'], asking)
  const lines = init.split('\n').filter((line) => line.startsWith('{'))
  const ofInit = errorsOf(lines.flatMap((line) => JSON.parse(line).diagnostic ?? []))
  if (ofInit.length > 0) return ofInit
  return errorsOf(JSON.parse(await run(dir, ['validate', '-json'], asking)).diagnostics)
}

function errorsOf(diagnostics: readonly Diagnostic[]): readonly TerraformError[] {
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ summary, detail = '', range }) => ({
      file: range?.filename ?? '',
      error: `${summary}: ${detail}`,
    }))
}

/** Its output, whether it succeeds or not. */
async function run(cwd: string, args: readonly string[], asking: Asking): Promise<string> {
  const env = { PATH: asking.env['PATH'], HOME: cwd, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' }
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  const child = spawn(asking.terraform, args, { cwd, env, stdio: [...stdio], signal: asking.signal })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0 && out === '') throw new Error(`${basename(asking.terraform)} ${args[0]} ended with ${code}`)
  return out
}
