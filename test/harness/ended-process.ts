import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** What a process printed, and how it ended. */
export interface EndedProcess {
  /** null: it was killed. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Reads a process that was just started to its end, or as far as the caller lets it print. */
export async function endedProcess(child: ChildProcess): Promise<EndedProcess> {
  const said = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  const [code] = await once(child, 'close')
  return { code, ...said }
}
