import type { Readable } from 'node:stream'
import { isJsonObject } from '../../server/plugin.ts'

/** What a harness tells a hook; whatever else it says is left alone, the transcript above all. */
export interface HookInput {
  readonly sessionId: string | undefined
  readonly cwd: string | undefined
  readonly source: string | undefined
}

// design handoff-store, section 3
const MAX_BYTES = 256 * 1024
const LONGEST_WAIT_MS = 300

/** Reads the JSON on stdin; undefined when it is too long, too late, or no object. Never waits for the end for ever. */
export async function readHookInput(stdin: Readable): Promise<HookInput | undefined> {
  const text = await readBriefly(stdin)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value)) return undefined
    return { sessionId: said(value['session_id']), cwd: said(value['cwd']), source: said(value['source']) }
  } catch {
    return undefined
  }
}

function said(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The text so far when a harness leaves its pipe open. */
function readBriefly(stdin: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (text: string | undefined) => {
      clearTimeout(timer)
      stdin.off('data', take)
      stdin.pause()
      resolve(text)
    }
    const timer = setTimeout(() => finish(Buffer.concat(chunks).toString('utf8')), LONGEST_WAIT_MS)
    const take = (chunk: Buffer | string) => {
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (size > MAX_BYTES) finish(undefined)
      else chunks.push(bytes)
    }
    stdin.on('data', take)
    stdin.once('end', () => finish(Buffer.concat(chunks).toString('utf8')))
    stdin.once('error', () => finish(undefined))
  })
}
