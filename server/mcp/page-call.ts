import type { PageStart } from '../answer/page.ts'
import type { NextStep } from '../contract/errors.ts'
import type { Tool } from '../contract/tool.ts'
import { cursorOf, keyIn, questionName } from '../platform/page-cursor.ts'
import { refusals } from './refusals.ts'

/** Begins a cursor of this door. A tool's own cursors are base64url, which has no full stop. */
const PREFIX = 'page.'

/** How a model reads on. */
export interface NextPageCall {
  readonly next?: NextStep
  /** Arguments that are too long to repeat; the next call needs them too. */
  readonly same?: readonly string[]
  /** For a call that must not be repeated. */
  readonly advice?: string
}

/** Returns the call that gives the next page. A tool that writes is never called again for it. */
export function nextPageCall(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  start: PageStart,
  maxBytes: number,
): NextPageCall {
  if (!tool.annotations.readOnly)
    return {
      advice:
        'The call is done: do not repeat it. The rest is not shown; read it with the tools that list or get.',
    }
  const { cursor: native = '', ...question } = args
  const key = [start.grain, start.from, start.content, String(native)]
  const cursor = `${PREFIX}${cursorOf(questionOf(tool, question), key)}`
  const isShort = Buffer.byteLength(JSON.stringify(question)) <= maxBytes
  if (isShort) return { next: { tool: tool.name, args: { ...question, cursor } } }
  const long = Object.keys(question).filter((name) => (JSON.stringify(question[name])?.length ?? 0) > 200)
  const short = Object.fromEntries(Object.entries(question).filter(([name]) => !long.includes(name)))
  return { next: { tool: tool.name, args: { ...short, cursor } }, same: long }
}

/** The page that a call asks for, and the arguments for the tool itself. */
export interface PageCall {
  readonly args: Readonly<Record<string, unknown>>
  readonly start?: PageStart
}

/** Reads the cursor of `nextPageCall`. Errors: `invalid`/`page_cursor` for one of another call. */
export function pageCallIn(tool: Tool, args: Readonly<Record<string, unknown>>): PageCall {
  const given = args['cursor']
  if (!tool.annotations.readOnly || typeof given !== 'string' || !given.startsWith(PREFIX)) return { args }
  const { cursor: _, ...question } = args
  const key = keyIn(given.slice(PREFIX.length), questionOf(tool, question))
  const [grain, from, content, native] = key ?? []
  if (typeof grain !== 'number' || typeof from !== 'number' || typeof content !== 'string')
    throw refusals.page_cursor()
  const own = native === '' ? question : { ...question, cursor: native }
  return { args: own, start: { grain, from, content } }
}

function questionOf(tool: Tool, question: Readonly<Record<string, unknown>>): string {
  return questionName({ ...question, tool: tool.name })
}
