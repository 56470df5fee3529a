import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { type JudgedQuery, relevantOnly } from '../../../plugins/modules/testing/evaluation.ts'
import { SatchelError } from '../../../server/plugin.ts'

/** `relevant` gives each module the highest grade; a query without a grade above 0 is one that nothing fits. */
const judgedFile = z.array(
  z.object({
    query: z.string().min(1),
    kind: z.string().min(1),
    relevant: z.array(z.string()).optional(),
    grades: z.record(z.string(), z.number().int().min(0).max(2)).optional(),
  }),
)

/** The judged queries of a file. Errors: `not_found`/`file_not_found`, `invalid`/`options_invalid`. */
export async function readJudgedQueries(path: string): Promise<readonly JudgedQuery[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SatchelError(
      'not_found',
      'file_not_found',
      'The file of judged queries does not exist or cannot be read.',
      { cause },
    )
  })
  const parsed = judgedFile.safeParse(parse(text))
  if (!parsed.success)
    throw new SatchelError('invalid', 'options_invalid', 'The file of judged queries has another shape.', {
      cause: parsed.error,
    })
  return parsed.data.map(({ query, kind, relevant = [], grades = {} }) => ({
    query,
    kind,
    grades: aboveZero({ ...relevantOnly(relevant), ...grades }),
  }))
}

function aboveZero(grades: JudgedQuery['grades']): JudgedQuery['grades'] {
  return Object.fromEntries(Object.entries(grades).filter(([, grade]) => grade > 0))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SatchelError('invalid', 'options_invalid', 'The file of judged queries is not JSON.', { cause })
  }
}

/**
 * Judged modules that are not among `ids`. When none of them is, every figure would be 0 for any search; queries that
 * nothing fits judge none.
 * Errors: `invalid`/`options_invalid` in that case.
 */
export function missingModules(queries: readonly JudgedQuery[], ids: readonly string[]): readonly string[] {
  const known = new Set(ids)
  const judged = [...new Set(queries.flatMap(({ grades }) => Object.keys(grades)))]
  const missing = judged.filter((id) => !known.has(id))
  if (judged.length > 0 && missing.length === judged.length)
    throw new SatchelError(
      'invalid',
      'options_invalid',
      `None of the ${judged.length} judged modules was ingested: no figure would mean anything. Judged modules are named owner/name//path.`,
      { details: { judged: judged.slice(0, 3), ingested: ids.slice(0, 3) } },
    )
  return missing
}

/** Whether a query has no grade, or one of a module that is not among `missing`: of any other, every figure would be 0. */
export function isAnswerable({ grades }: JudgedQuery, missing: ReadonlySet<string>): boolean {
  const judged = Object.keys(grades)
  return judged.length === 0 || judged.some((id) => !missing.has(id))
}
