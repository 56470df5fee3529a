import type { ModuleVersion } from '../domain/diff.ts'
import { loadCode } from '../output/code-store.ts'
import type { IndexRecord } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'

/** The summaries of module versions, and their code where it is stored. Errors: `conflict`/`index_damaged`. */
export async function loadVersions(
  outputDir: string,
  records: readonly IndexRecord[],
): Promise<readonly ModuleVersion[]> {
  const codes = await loadCode(outputDir, records)
  return await Promise.all(
    records.map(async (record, at) => ({
      summary: await loadSummary(outputDir, record.summary_file),
      code: codes[at],
    })),
  )
}
