import { resolve } from 'node:path'
import { latestVersions } from '../../../plugins/modules/catalog/versions.ts'
import type { ModuleSummary } from '../../../plugins/modules/domain/summary.ts'
import { loadIndex } from '../../../plugins/modules/output/index-file.ts'
import { loadSummary } from '../../../plugins/modules/output/summary-files.ts'
import { loadLexicon } from '../../../plugins/modules/search/lexicon-file.ts'
import { type Arm, ladder } from '../../../plugins/modules/testing/arms.ts'
import {
  type Interval,
  type JudgedQuery,
  judge,
  meanInterval,
  meanQuality,
  pairedDifference,
  type Quality,
} from '../../../plugins/modules/testing/evaluation.ts'
import { OWN_IDS, OWN_QUERIES, OWN_SUMMARIES } from '../../../plugins/modules/testing/own-corpus.ts'
import { printDocument } from '../../../server/cli/render.ts'
import type { World } from '../../../server/cli/world.ts'
import type { Terminal } from '../../../server/plugin.ts'
import { SatchelError } from '../../../server/plugin.ts'
import { isAnswerable, missingModules, readJudgedQueries } from './judged-file.ts'

interface Corpus {
  readonly ids: readonly string[]
  readonly summaries: readonly ModuleSummary[]
  readonly queries: readonly JudgedQuery[]
}

interface Counts {
  readonly modules: number
  /** Queries that something fits, without those that are left out. */
  readonly queries: number
  /** Judged modules that were not ingested. */
  readonly missing: number
  /** Queries of which no judged module was ingested. */
  readonly left_out: number
}

interface Row {
  readonly arm: string
  readonly all: Quality
  readonly kinds: Readonly<Record<string, KindRow>>
  /** nDCG@10 beside that of the baseline, query by query. */
  readonly difference: Interval
  readonly nothing: NothingFits
}

/** How often an arm says that nothing fits. */
interface NothingFits {
  /** Queries that nothing fits, and how many of them were told so. */
  readonly negatives: number
  readonly recognised: number
  /** Queries that something fits and that were told otherwise. */
  readonly wrongly: number
}

/** The queries of one kind. */
interface KindRow extends Quality {
  readonly queries: number
  /** nDCG@10 and where 95 % of its resampled means lie. */
  readonly interval: Interval
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
  const missing = missingModules(corpus.queries, corpus.ids)
  const unknown = new Set(missing)
  const queries = corpus.queries.filter((one) => isAnswerable(one, unknown))
  const lexicon = await loadLexicon(undefined)
  const rows = await rowsOf(await ladder(corpus, lexicon), queries)
  const counts = {
    modules: corpus.ids.length,
    queries: queries.filter(isPositive).length,
    missing: missing.length,
    left_out: corpus.queries.length - queries.length,
  }
  print(terminal, counts, rows)
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
  return { ids, summaries, queries: await readJudgedQueries(resolve(workingDirectory, input.cases)) }
}

/** `owner/name` of a URL; a local clone may be called `owner+name.git`. */
function ownerAndName(repository: string): string {
  const parts = repository.replace(/\.git$/, '').split(/[/:]/)
  const last = parts.at(-1) ?? ''
  return last.includes('+') ? last.replace('+', '/') : `${parts.at(-2) ?? ''}/${last}`
}

async function rowsOf(arms: readonly Arm[], queries: readonly JudgedQuery[]): Promise<Row[]> {
  const positive = queries.filter(isPositive)
  const kinds = [...new Set(positive.map(({ kind }) => kind))].sort()
  const judged = []
  for (const arm of arms) judged.push({ name: arm.name, ...(await judgedBy(arm, queries)) })
  const baseline = gains(judged.find(({ name }) => name === BASELINE)?.qualities ?? [])
  return judged.map(({ name, qualities, nothing }) => {
    const ofKind = (kind: string) => kindRow(qualities.filter((_, at) => positive[at]?.kind === kind))
    return {
      arm: name,
      all: meanQuality(qualities),
      kinds: Object.fromEntries(kinds.map((kind) => [kind, ofKind(kind)])),
      difference: pairedDifference(gains(qualities), baseline),
      nothing,
    }
  })
}

async function judgedBy(arm: Arm, queries: readonly JudgedQuery[]) {
  const qualities: Quality[] = []
  const nothing = { negatives: 0, recognised: 0, wrongly: 0 }
  for (const one of queries) {
    const { ranking, nothingFits } = await arm.answer(one.query)
    if (isPositive(one)) qualities.push(judge(ranking, one.grades))
    else nothing.negatives++
    if (nothingFits) nothing[isPositive(one) ? 'wrongly' : 'recognised']++
  }
  return { qualities, nothing }
}

function isPositive({ grades }: JudgedQuery): boolean {
  return Object.keys(grades).length > 0
}

function kindRow(qualities: readonly Quality[]): KindRow {
  return {
    ...meanQuality(qualities),
    queries: qualities.length,
    interval: meanInterval(gains(qualities)),
  }
}

function gains(qualities: readonly Quality[]): number[] {
  return qualities.map(({ ndcg10 }) => ndcg10)
}

function print(terminal: Terminal, counts: Counts, rows: readonly Row[]): void {
  if (terminal.json) {
    printDocument(terminal, { ...counts, arms: rows })
    return
  }
  terminal.write(`${counts.queries} judged queries over ${counts.modules} modules\n`)
  if (counts.missing > 0) terminal.write(`${counts.missing} judged modules were not ingested\n`)
  if (counts.left_out > 0)
    terminal.write(`${counts.left_out} queries are left out: none of their modules was ingested\n`)
  for (const { arm, all, kinds, difference, nothing } of rows) {
    const beside =
      arm === BASELINE ? '' : `  ${signed(difference.mean)} ${ends(difference, signed)} beside ${BASELINE}`
    // Of queries that nothing fits there is no ranking to judge.
    const ranked = counts.queries === 0 ? '' : ` ${figures(all)}${beside}`
    terminal.write(`${arm.padEnd(24)}${ranked}\n`)
    for (const [kind, row] of Object.entries(kinds)) {
      const name = `  ${kind} (${row.queries})`
      terminal.write(`${name.padEnd(24)} ${figures(row)}  ${ends(row.interval, plain)}\n`)
    }
    if (nothing.negatives > 0) terminal.write(`${nothingLine(nothing, counts.queries)}\n`)
  }
}

function nothingLine({ negatives, recognised, wrongly }: NothingFits, positive: number): string {
  return `  "nothing fits"         ${recognised} of ${negatives} that nothing fits, ${wrongly} of ${positive} others`
}

function figures({ ndcg10, hit1, mrr, recall5 }: Quality): string {
  return `nDCG@10 ${plain(ndcg10)}  hit@1 ${plain(hit1)}  MRR ${plain(mrr)}  R5 ${plain(recall5)}`
}

function ends({ low, high }: Interval, shown: (value: number) => string): string {
  return `[${shown(low)}, ${shown(high)}]`
}

function plain(value: number): string {
  return value.toFixed(3)
}

function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`
}
