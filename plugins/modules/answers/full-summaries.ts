import type { ModuleSummary } from '../domain/summary.ts'
import type { ModuleIndex } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'

/** Beyond this a list of summaries goes on without README, resources and positions (modules design 7). */
const FULL_CHARS = 8 * 1024 * 1024

/** Summaries as a door gives them: whole up to 8 MiB, then short. */
export interface SummaryList {
  readonly summaries: ModuleSummary[]
  readonly isCut: boolean
}

/** The summaries of these ids, in the order of the index. */
export async function summariesOf(
  outputDir: string,
  index: ModuleIndex | undefined,
  ids: ReadonlySet<string>,
): Promise<SummaryList> {
  const summaries: ModuleSummary[] = []
  let chars = 0
  for (const record of index?.records ?? []) {
    if (!ids.has(record.id)) continue
    const summary = await loadSummary(outputDir, record.summary_file)
    chars += JSON.stringify(summary).length
    summaries.push(chars <= FULL_CHARS ? summary : shortened(summary))
  }
  return { summaries, isCut: chars > FULL_CHARS }
}

function shortened(summary: ModuleSummary): ModuleSummary {
  return {
    ...summary,
    variables: summary.variables.map(({ name, type, required, default: stated }) => {
      return { name, type: type.slice(0, 120), description: '', default: stated, required }
    }),
    outputs: summary.outputs.map(({ name, sensitive }) => ({
      name,
      description: '',
      value: null,
      sensitive,
    })),
    readme_content: '',
    resources: [],
    data: [],
    diagnostics: [],
  }
}
