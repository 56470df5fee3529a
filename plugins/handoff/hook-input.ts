import type { Readable } from 'node:stream'
import { isJsonObject, parsedJson } from '../../server/plugin.ts'

/** The members of a harness's input that hooks use. The transcript is never read. */
export interface HookInput {
  readonly sessionId: string | undefined
  readonly cwd: string | undefined
  readonly source: string | undefined
}

const MAX_BYTES = 256 * 1024 // design handoff-store, section 3

/** Reads the JSON on stdin; undefined if it is too long, not complete after `limitMs`, or not an object. */
export async function readHookInput(stdin: Readable, limitMs: number): Promise<HookInput | undefined> {
  const text = await readBriefly(stdin, limitMs)
  const value = parsedJson(text?.replace(/^\uFEFF/, '') ?? '') // PowerShell writes one
  if (!isJsonObject(value)) return undefined
  const [root] = Array.isArray(value['workspace_roots']) ? value['workspace_roots'] : []
  return {
    // Cursor names a conversation and the folders of its window; VS Code has other names.
    sessionId: textOf(value['session_id']) ?? textOf(value['sessionId']) ?? textOf(value['conversation_id']),
    cwd: folderOf(textOf(value['cwd']) ?? textOf(root), process.platform),
    source: value['source'] === 'new' ? 'startup' : textOf(value['source']),
  }
}

/** A folder as the system names it: for Cursor on Windows `C:\src` is `/c:/src`. */
export function folderOf(folder: string | undefined, platform: NodeJS.Platform): string | undefined {
  return platform === 'win32' ? folder?.replace(/^[\\/](?=[A-Za-z]:)/, '') : folder
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The text received in time: a harness may leave its pipe open. What is there when the time is over is read, too. */
function readBriefly(stdin: Readable, limitMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (text: string | undefined) => {
      clearTimeout(timer)
      stdin.off('data', take)
      stdin.pause()
      resolve(text)
    }
    const finishRead = () => finish(Buffer.concat(chunks).toString('utf8'))
    // A machine that let the process run too late has brought it meanwhile: a turn reads what is there, without waiting.
    const readRest = () => {
      const before = size
      setImmediate(() => (size > before ? readRest() : finishRead()))
    }
    const timer = setTimeout(readRest, limitMs)
    const take = (chunk: Buffer | string) => {
      const bytes = Buffer.from(chunk)
      size += bytes.length
      if (size > MAX_BYTES) finish(undefined)
      else chunks.push(bytes)
    }
    stdin.on('data', take)
    stdin.once('end', finishRead)
    stdin.once('error', () => finish(undefined))
  })
}
