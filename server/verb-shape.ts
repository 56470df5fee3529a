import { isJsonObject } from './platform/json-object.ts'
import { unknownField } from './route-shape.ts'

type Members = Readonly<Record<string, unknown>>

/** One or two words. */
export const VERB = /^[a-z0-9][a-z0-9-]*( [a-z0-9][a-z0-9-]*)?$/
const FLAG = /^[a-z0-9][a-z0-9-]*$/i
/** `h` is help; `q` is `--quiet`. Where a verb takes `c`, `--config` has no letter. */
const LETTER = /^(?![hq])[a-z0-9]$/i

/** Returns what is wrong with the verb of a tool, naming the member; undefined if nothing is. */
export function verbFault(verb: Members, fields: readonly string[]): string | undefined {
  const { verb: words, positional = [], arrange, preset = {} } = verb
  if (typeof words !== 'string' || !VERB.test(words))
    return 'cli.verb must be one or two words of a-z, 0-9 and -'
  if (!Array.isArray(positional)) return 'cli.positional must be a list'
  if (!isJsonObject(preset)) return 'cli.preset must be an object'
  const typed = positional.map(String)
  // `arrange` makes the input of what is typed.
  const names = arrange === undefined ? typed.map((name) => name.replaceAll(/^\[|\]$|\.\.\./g, '')) : []
  return (
    unknownField('cli.positional', names, fields) ??
    unknownField('cli.preset', Object.keys(preset), fields) ??
    typingFault('cli.', verb, fields)
  )
}

/** Returns why what a verb or a command takes cannot be typed; `prefix` begins the name of the member. */
export function typingFault(prefix: string, typing: Members, fields: readonly string[]): string | undefined {
  const { positional = [], short = {}, long = {} } = typing
  if (!isJsonObject(short) || !isJsonObject(long)) return `${prefix}short and long must be objects`
  const letters = Object.values(short)
  const letter = letters.find((one) => typeof one !== 'string' || !LETTER.test(one))
  if (letter !== undefined) return `${prefix}short must give one letter, not ${JSON.stringify(letter)}`
  if (new Set(letters).size < letters.length) return `${prefix}short gives one letter twice`
  const flag = Object.values(long).find((one) => typeof one !== 'string' || !FLAG.test(one))
  if (flag !== undefined)
    return `${prefix}long must give one word of a-z, 0-9 and -, not ${JSON.stringify(flag)}`
  return (
    unknownField(`${prefix}short`, Object.keys(short), fields) ??
    unknownField(`${prefix}long`, Object.keys(long), fields) ??
    orderFault(prefix, (positional as readonly unknown[]).map(String))
  )
}

/** A repeated argument takes all that follow, and an optional one takes the place of the next. */
function orderFault(prefix: string, typed: readonly string[]): string | undefined {
  if (typed.slice(0, -1).some((name) => name.includes('...')))
    return `${prefix}positional: only the last may be repeated`
  const optional = typed.findIndex((name) => name.startsWith('['))
  if (optional >= 0 && typed.slice(optional).some((name) => !name.startsWith('[')))
    return `${prefix}positional: after an optional one all must be optional`
  return undefined
}
