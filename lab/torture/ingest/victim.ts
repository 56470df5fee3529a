import { writeSync } from 'node:fs'
import { realDisk } from '../../../server/plugin.ts'
import { EVERYTHING_ASKED, openIngestStage } from './stage.ts'

const STDOUT = 1

/** Ingests in `directory` again and again until it is killed; says when it is ready, and `A <failures>` for each run. */
export async function work(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<never> {
  const stage = await openIngestStage(directory, env)
  writeSync(STDOUT, 'ready\n')
  for (;;) {
    const { failures } = await stage.run(realDisk, EVERYTHING_ASKED)
    writeSync(STDOUT, `A ${failures.length}\n`)
  }
}
