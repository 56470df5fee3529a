import type { ModuleVersion } from '../domain/diff.ts'
import type { ModuleCode } from '../domain/module-code.ts'
import { isAsked, loadAsked, loadRecordSummary } from '../output/asked-store.ts'
import { codeIn, loadCode } from '../output/code-store.ts'
import type { IndexRecord } from '../output/module-index.ts'

/** The summaries of module versions, and their code where it is stored. Errors: `conflict`/`index_damaged`. */
export async function loadVersions(
  outputDir: string,
  records: readonly IndexRecord[],
): Promise<readonly ModuleVersion[]> {
  const codes = await loadCode(outputDir, records)
  return await Promise.all(
    records.map(async (record, at) => ({
      summary: await loadRecordSummary(outputDir, record),
      code: isAsked(record) ? await askedCode(outputDir, record) : codes[at],
    })),
  )
}

async function askedCode(outputDir: string, record: IndexRecord): Promise<ModuleCode | undefined> {
  return codeIn((await loadAsked(outputDir, record.id))?.code ?? '', [record])[0]
}
