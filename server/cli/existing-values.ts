import type { Completed } from '../contract/advanced/verb.ts'
import type { CallContext } from '../contract/context.ts'
import type { RunningHost } from '../host.ts'
import { flagsOf } from './flags.ts'
import { leavesOf, shapeOf } from './plugin-verbs.ts'
import type { VerbShape } from './verb-parser.ts'

/** What a shell takes for one plain word: `compgen -W` expands `$(...)`, quotes and globs in a value. */
const PLAIN_WORD = /^[A-Za-z0-9_][A-Za-z0-9_./@+-]*$/

/** Where values are looked for: the working directory of the shell, and what resources offer. */
export interface Whereabouts {
  readonly cwd: string
  offered(completed: Completed, typed: string): Promise<readonly string[]>
}

/**
 * Returns the values that may follow at the last of `words` (the arguments after `satchel`; the last is the text typed so
 * far), such as the ids of records. Empty where nothing that exists is asked for, undefined where none of the verbs is typed.
 * Values that a shell would not read as one plain word are left out.
 */
export async function existingValues(
  shapes: readonly VerbShape[],
  words: readonly string[],
  { cwd, offered }: Whereabouts,
): Promise<readonly string[] | undefined> {
  const shape = shapes
    .filter(({ path }) => path.every((word, at) => words[at] === word) && words.length > path.length)
    .sort((a, b) => b.path.length - a.path.length)[0]
  if (!shape) return undefined
  const typed = words.at(-1) ?? ''
  const completes = shape.typing.completes?.[argumentAtEnd(shape, words.slice(shape.path.length)) ?? '']
  if (!completes) return []
  const values = await (typeof completes === 'function' ? completes(typed, cwd) : offered(completes, typed))
  return values.filter((value) => PLAIN_WORD.test(value))
}

/** Values of the verbs of plugins; empty where no such verb is typed. */
export async function existingInHost(
  { registry }: RunningHost,
  words: readonly string[],
  { cwd, ctx }: { readonly cwd: string; readonly ctx: CallContext },
): Promise<readonly string[]> {
  const offered = async ({ resource: uri, variable }: Completed, typed: string) => {
    const owned = registry.resources.find(({ resource }) => resource.uri === uri)
    return (await owned?.resource.complete?.(ctx, variable, typed)) ?? []
  }
  return (await existingValues(leavesOf(registry).map(shapeOf), words, { cwd, offered })) ?? []
}

/** The name of the positional or input field that the last word belongs to. */
function argumentAtEnd(shape: VerbShape, words: readonly string[]): string | undefined {
  const { flags, positionals } = flagsOf(shape.input, shape.typing)
  const takesValue = (word: string) =>
    flags.find(({ long, short, kind }) => kind !== 'switch' && (word === `--${long}` || word === `-${short}`))
  let position = 0
  for (let at = 0; at < words.length - 1; at += 1) {
    const flag = takesValue(words[at] ?? '')
    if (flag && at === words.length - 2) return flag.field
    if (flag) at += 1
    else if (!words[at]?.startsWith('-')) position += 1
  }
  const last = positionals.at(-1)
  return (positionals[position] ?? (last?.repeatable ? last : undefined))?.name
}
