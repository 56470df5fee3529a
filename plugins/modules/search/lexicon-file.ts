import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import builtIn from '../assets/lexicon.json' with { type: 'json' }
import { isErrnoException } from '../errno.ts'
import { refusal } from '../reasons.ts'
import { createLexicon, type Lexicon } from './lexicon.ts'

/** The user's own concepts, beside the configuration file. */
export const USER_LEXICON = 'satchel.lexicon.json'

const MAX_GROUPS = 500
const MAX_PHRASES = 50

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
 * The built-in concepts and those of `satchel.lexicon.json` beside `configFile`. The version names both, because stored
 * vectors depend on them.
 * Errors: `invalid`/`lexicon_invalid` with the place.
 */
export async function loadLexicon(configFile: string | undefined): Promise<Lexicon> {
  const text =
    configFile === undefined ? undefined : await readUserLexicon(join(dirname(configFile), USER_LEXICON))
  if (text === undefined) return createLexicon(builtIn.groups, String(builtIn.version))
  const own = parseUserLexicon(text)
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return createLexicon([...builtIn.groups, ...own.groups], `${builtIn.version}+${digest}`)
}

async function readUserLexicon(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (isErrnoException(thrown) && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR')) return undefined
    throw thrown
  }
}

function parseUserLexicon(text: string): z.output<typeof userLexicon> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw invalid('it is no JSON', cause)
  }
  const parsed = userLexicon.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalid(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`, parsed.error)
}

function invalid(why: string, cause: unknown) {
  return refusal(
    'lexicon_invalid',
    `${USER_LEXICON}: ${why}. Correct it, or move it away from the configuration.`,
    { cause },
  )
}
