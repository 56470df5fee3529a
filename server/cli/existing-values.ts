import type { CallContext } from '../contract/context.ts'
import type { RunningHost } from '../host.ts'
import { flagsOf } from './flags.ts'
import { leavesOf, shapeOf } from './plugin-verbs.ts'
import type { VerbShape } from './verb-parser.ts'

/** What a shell takes for one plain word: `compgen -W` expands `$(...)`, quotes and globs in a value. */
const PLAIN_WORD = /^[A-Za-z0-9_][A-Za-z0-9_./@+-]*$/

/**
 * Returns the values that may follow at the last of `words` (the arguments after `satchel`; the last is the text typed so
 * far), such as the ids of records. Empty where nothing that exists is asked for. Values that a shell would not read as one
 * plain word are left out.
 */
export async function existingValues(
  host: RunningHost,
  ctx: CallContext,
  words: readonly string[],
): Promise<readonly string[]> {
  const { registry } = host
  const leaf = leavesOf(registry)
    .filter(({ path }) => path.every((word, at) => words[at] === word) && words.length > path.length)
    .sort((a, b) => b.path.length - a.path.length)[0]
  if (!leaf) return []
  const shape = shapeOf(leaf)
  const argument = argumentAtEnd(shape, words.slice(shape.path.length))
  const completed = shape.typing.completes?.[argument ?? '']
  const owned = registry.resources.find(({ resource }) => resource.uri === completed?.resource)
  if (!completed || !owned?.resource.complete) return []
  const values = await owned.resource.complete(ctx, completed.variable, words.at(-1) ?? '')
  return values.filter((value) => PLAIN_WORD.test(value))
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
