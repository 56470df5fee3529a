import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { z } from 'zod'
import { latestVersions } from '../../../plugins/modules/catalog/versions.ts'
import type { ModuleSummary } from '../../../plugins/modules/domain/summary.ts'
import { loadIndex } from '../../../plugins/modules/output/module-index.ts'
import { loadSummary } from '../../../plugins/modules/output/summary-files.ts'
import { loadLexicon } from '../../../plugins/modules/search/lexicon-file.ts'
import { type Arm, ladder } from '../../../plugins/modules/testing/arms.ts'
import {
  type Difference,
  type JudgedQuery,
  judge,
  meanQuality,
  pairedDifference,
  type Quality,
} from '../../../plugins/modules/testing/evaluation.ts'
import { OWN_IDS, OWN_QUERIES, OWN_SUMMARIES } from '../../../plugins/modules/testing/own-corpus.ts'
import { printDocument } from '../../../server/cli/render.ts'
import type { World } from '../../../server/cli/world.ts'
import type { Terminal } from '../../../server/plugin.ts'
import { SatchelError } from '../../../server/plugin.ts'

const cases = z.array(z.object({ query: z.string(), kind: z.string(), relevant: z.array(z.string()).min(1) }))

interface Corpus {
  readonly ids: readonly string[]
  readonly summaries: readonly ModuleSummary[]
  readonly queries: readonly JudgedQuery[]
}

interface Row {
  readonly arm: string
  readonly all: Quality
  /** Kind of query -> nDCG@10. */
  readonly kinds: Readonly<Record<string, number>>
  /** nDCG@10 beside that of the baseline, query by query. */
  readonly difference: Difference
}

/** The arm that the others are compared with. */
const BASELINE = 'keyword'

interface RetrievalInput {
  readonly cases?: string | undefined
  readonly output_dir?: string | undefined
}

/** Ranks the judged queries and prints what each part of the search reaches; gives the exit code. */
export async function measureRetrieval({ io, terminal }: World, input: RetrievalInput): Promise<number> {
  const corpus = await corpusOf(io.cwd, input)
  const lexicon = await loadLexicon(undefined)
  print(terminal, corpus, rowsOf(ladder(corpus, lexicon), corpus.queries))
  return 0
}

async function corpusOf(workingDirectory: string, input: RetrievalInput): Promise<Corpus> {
  if (input.cases === undefined || input.output_dir === undefined) {
    if (input.cases !== undefined || input.output_dir !== undefined) {
      throw new SatchelError(
        'invalid',
        'options_invalid',
        'Give --cases and --output-dir together, or neither.',
      )
    }
    return { ids: OWN_IDS, summaries: OWN_SUMMARIES, queries: OWN_QUERIES }
  }
  const outputDir = resolve(workingDirectory, input.output_dir)
  const index = await loadIndex(outputDir)
  if (!index)
    throw new SatchelError('not_found', 'no_index', 'Nothing has been ingested into that output directory.')
  const latest = latestVersions(index)
  const summaries = []
  for (const record of latest) summaries.push(await loadSummary(outputDir, record.summary_file))
  const ids = latest.map(({ repository, path }) => `${ownerAndName(repository)}//${path}`)
  return { ids, summaries, queries: await readCases(resolve(workingDirectory, input.cases)) }
}

async function readCases(path: string): Promise<readonly JudgedQuery[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SatchelError(
      'not_found',
      'file_not_found',
      'The file of judged queries does not exist or cannot be read.',
      { cause },
    )
  })
  const parsed = cases.safeParse(JSON.parse(text))
  if (!parsed.success)
    throw new SatchelError('invalid', 'options_invalid', 'The file of judged queries has another shape.', {
      cause: parsed.error,
    })
  return parsed.data
}

/** `owner/name` of a URL; a local clone may be called `owner+name.git`. */
function ownerAndName(repository: string): string {
  const parts = repository.replace(/\.git$/, '').split(/[/:]/)
  const last = parts.at(-1) ?? ''
  return last.includes('+') ? last.replace('+', '/') : `${parts.at(-2) ?? ''}/${last}`
}

function rowsOf(arms: readonly Arm[], queries: readonly JudgedQuery[]): Row[] {
  const kinds = [...new Set(queries.map(({ kind }) => kind))].sort()
  const judged = arms.map(({ name, rank }) => ({
    name,
    qualities: queries.map(({ query, relevant }) => judge(rank(query), relevant)),
  }))
  const gains = (qualities: readonly Quality[]): number[] => qualities.map(({ ndcg10 }) => ndcg10)
  const baseline = gains(judged.find(({ name }) => name === BASELINE)?.qualities ?? [])
  return judged.map(({ name, qualities }) => {
    const of = (kind: string): number =>
      meanQuality(qualities.filter((_, at) => queries[at]?.kind === kind)).ndcg10
    return {
      arm: name,
      all: meanQuality(qualities),
      kinds: Object.fromEntries(kinds.map((kind) => [kind, of(kind)])),
      difference: pairedDifference(gains(qualities), baseline),
    }
  })
}

function print(terminal: Terminal, corpus: Corpus, rows: readonly Row[]): void {
  if (terminal.json) {
    printDocument(terminal, { modules: corpus.ids.length, queries: corpus.queries.length, arms: rows })
    return
  }
  terminal.write(`${corpus.queries.length} judged queries over ${corpus.ids.length} modules\n`)
  for (const { arm, all, kinds, difference } of rows) {
    const byKind = Object.entries(kinds).map(([kind, value]) => `${kind} ${value.toFixed(3)}`)
    const { mean, low, high } = difference
    const beside =
      arm === BASELINE ? '' : `  ${signed(mean)} [${signed(low)}, ${signed(high)}] beside ${BASELINE}`
    terminal.write(
      `${arm.padEnd(24)} nDCG@10 ${all.ndcg10.toFixed(3)}  MRR ${all.mrr.toFixed(3)}  R5 ${all.recall5.toFixed(3)}  (${byKind.join(', ')})${beside}\n`,
    )
  }
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`
}
