import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser'
import * as z from 'zod'
import { PREPARED_ASSOCIATIONS, PREPARED_STEMS, PREPARED_WORDS } from '../../../generated/lexicon-phrases.ts'
import { once, readRegularFile, systemCode } from '../../../server/plugin.ts'
import builtIn from '../assets/lexicon.json' with { type: 'json' }
import { refusals } from '../reasons.ts'
import { createLexicon, type Lexicon } from './lexicon.ts'

/** The user's own concepts, beside the configuration file. */
export const USER_LEXICON = 'satchel.lexicon.json'

const MAX_GROUPS = 500
const MAX_PHRASES = 50
const MAX_BYTES = 8 * 1024 * 1024

const userLexicon = z.strictObject({
  version: z.number().int().optional(),
  groups: z
    .array(
      z.strictObject({
        id: z
          .string()
          .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a group id is lower-case letters, digits and hyphens'),
        phrases: z.array(z.string().trim().min(1).max(200)).min(1).max(MAX_PHRASES),
      }),
    )
    .max(MAX_GROUPS),
})

/**
 * The built-in concepts and those of `satchel.lexicon.json` beside `configFile`.
 * Errors: `invalid`/`lexicon_invalid` with the line.
 */
export async function loadLexicon(configFile: string | undefined): Promise<Lexicon> {
  return lexiconOf(await readUserLexicon(configFile))
}

const PREPARED = { words: PREPARED_WORDS, stems: PREPARED_STEMS, associations: PREPARED_ASSOCIATIONS }

/** What is read of the built-in concepts serves every run of a process. */
const builtInLexicon = once(() => createLexicon(builtIn.groups, String(builtIn.version), PREPARED))

/**
 * The built-in concepts and those of a user's text. The version names both, because stored vectors depend on them.
 * Errors: `invalid`/`lexicon_invalid` with the line.
 */
export function lexiconOf(text: string | undefined): Lexicon {
  if (text === undefined) return builtInLexicon()
  const own = parseUserLexicon(text)
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return createLexicon([...builtIn.groups, ...own.groups], `${builtIn.version}+${digest}`, PREPARED)
}

/** The text of the user's concepts; undefined where there are none. Errors: `invalid`/`lexicon_invalid` for what is not a file, and beyond 8 MiB. */
export async function readUserLexicon(configFile: string | undefined): Promise<string | undefined> {
  if (configFile === undefined) return undefined
  try {
    const read = await readRegularFile(join(dirname(configFile), USER_LEXICON), MAX_BYTES)
    if (read.kind === 'text') return read.text
    throw invalid(read.kind === 'no file' ? 'it is not a regular file' : 'it is larger than 8 MiB', 1)
  } catch (thrown) {
    const code = systemCode(thrown)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw thrown
  }
}

function parseUserLexicon(text: string): z.output<typeof userLexicon> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const errors: ParseError[] = []
    parseTree(text, errors)
    throw invalid('it is not JSON', lineAt(text, errors[0]?.offset ?? 0), cause)
  }
  const parsed = userLexicon.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue?.path ?? []
  const where = path.length === 0 ? '' : `${path.join('.')}: `
  const node = nearestNode(parseTree(text), path)
  throw invalid(`${where}${issue?.message ?? 'not valid'}`, lineAt(text, node?.offset ?? 0), parsed.error)
}

/** The value at `path`, or the nearest one around it. */
function nearestNode(tree: Node | undefined, path: readonly PropertyKey[]): Node | undefined {
  if (tree === undefined) return undefined
  const steps = path.map((step) => (typeof step === 'number' ? step : String(step)))
  return findNodeAtLocation(tree, steps) ?? nearestNode(tree, path.slice(0, -1))
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function invalid(why: string, line: number, cause?: unknown) {
  return refusals.lexicon_invalid({ file: USER_LEXICON, line, why }, { details: { line }, cause })
}
