import { saveIndex } from '../output/module-index.ts'
import type { SummaryOutput } from './summary-output.ts'

const SAVE_EVERY_MS = 5000

/** Saves the index now and then, so that a killed run keeps what it had; one save at a time. */
export function createSaver(outputDir: string, output: SummaryOutput, now: () => Date) {
  let last = now().getTime()
  let saving: Promise<void> = Promise.resolve()
  return {
    async soon(): Promise<void> {
      if (now().getTime() - last < SAVE_EVERY_MS) return
      last = now().getTime()
      saving = saving.then(() => saveIndex(outputDir, output.index(null)))
      await saving
    },
    settled: () => saving,
  }
}
