import { startGit } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { CONSTANT_CONFIG } from './environment.ts'
import { abortError } from './failure.ts'

/** One object as the store has it. */
export interface GitObject {
  readonly oid: string
  readonly type: string
  /** In bytes. */
  readonly size: number
  /** Undefined when the object is larger than requested: it is skipped and never held in memory. */
  readonly bytes: Buffer | undefined
}

/** Reads objects of one store through one `git cat-file --batch`. The owner calls `close`. */
export interface Blobs {
  /**
   * The object of this id (of a commit's id with `^{tree}` its root; of one of our own flat refs with `^{commit}` what
   * it names), without its bytes where they exceed `maxBytes`; undefined where the store lacks it.
   * Errors: `unavailable`/`git_failed` when the process ended, `cancelled` when it was aborted.
   */
  read(name: string, maxBytes: number): Promise<GitObject | undefined>
  close(): Promise<void>
}

interface Request {
  readonly name: string
  readonly maxBytes: number
  readonly resolve: (object: GitObject | undefined) => void
  readonly reject: (error: unknown) => void
}

// Writing every name first deadlocks once both pipes are full (modules design 2.3).
const MAX_IN_FLIGHT = 64
const ASKABLE =
  /^(?:(?:[0-9a-f]{40}|[0-9a-f]{64})(?:\^\{tree\})?|refs\/satchel\/[ht]-[0-9a-f]{16}\^\{commit\})$/

/** Starts the reader. No argument comes from outside; names that are not object ids are refused. */
export function openBlobs(options: {
  readonly baseDir: string
  /** From `gitEnvironment`. */
  readonly environment: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}): Blobs {
  const { environment, signal, baseDir } = options
  const child = startGit(['cat-file', '--batch'], { cwd: baseDir, env: environment, config: CONSTANT_CONFIG })
  const waiting: Request[] = []
  const asked: Request[] = []
  let ended: Error | undefined

  const end = (error: Error): void => {
    ended ??= error
    for (const request of [...asked.splice(0), ...waiting.splice(0)]) request.reject(ended)
  }
  let pumping = false
  const pump = (): void => {
    pumping = false
    const next = waiting.splice(0, MAX_IN_FLIGHT - asked.length)
    if (next.length === 0) return
    asked.push(...next)
    child.stdin.write(next.map(({ name }) => `${name}\n`).join(''))
  }
  /** Requests of one turn of the event loop are sent in one write. */
  const pumpSoon = (): void => {
    if (!pumping) queueMicrotask(pump)
    pumping = true
  }
  const parser = createReplyParser(
    (object) => {
      asked.shift()?.resolve(object)
      pumpSoon()
    },
    () => asked[0]?.maxBytes ?? 0,
  )
  const abort = (): void => {
    end(abortError(signal))
    child.kill('SIGKILL')
  }
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      signal.removeEventListener('abort', abort)
      end(refusals.git_ended())
      resolve()
    })
  })
  child.once('error', () => end(refusals.git_missing()))
  child.stdin.on('error', () => undefined) // the process ended: `close` rejects every pending read
  child.stdout.on('data', (chunk: Buffer) => parser(chunk))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()

  return {
    read(name, maxBytes) {
      if (!ASKABLE.test(name)) return Promise.reject(new TypeError('not an object id'))
      if (ended) return Promise.reject(ended)
      return new Promise((resolve, reject) => {
        waiting.push({ name, maxBytes, resolve, reject })
        pumpSoon()
      })
    },
    async close() {
      child.stdin.end()
      if (asked.length > 0 || waiting.length > 0) child.kill('SIGKILL')
      await closed
    },
  }
}

/**
 * Reads `<oid> <type> <size>\n<bytes>\n` and `<name> missing\n`, over any cut of the stream. `maxBytes` is asked once for
 * each object; a larger one is skipped. Exported for tests.
 */
export function createReplyParser(
  onReply: (object: GitObject | undefined) => void,
  maxBytes: () => number,
): (chunk: Buffer) => void {
  let head = ''
  let body: Body | undefined
  const readHead = (chunk: Buffer, from: number): number => {
    const lineEnd = chunk.indexOf(10, from)
    if (lineEnd < 0) {
      head += chunk.toString('latin1', from)
      return chunk.length
    }
    const line = head + chunk.toString('latin1', from, lineEnd)
    head = ''
    const found = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/.exec(line)
    if (found) {
      const size = Number(found[3])
      body = {
        oid: found[1] ?? '',
        type: found[2] ?? '',
        size,
        chunks: size <= maxBytes() ? [] : undefined,
        have: 0,
      }
    } else onReply(undefined)
    return lineEnd + 1
  }
  return (chunk) => {
    let from = 0
    while (from < chunk.length) {
      if (body === undefined) {
        from = readHead(chunk, from)
        continue
      }
      const part = chunk.subarray(from, from + body.size + 1 - body.have)
      body.chunks?.push(part)
      body.have += part.length
      from += part.length
      if (body.have <= body.size) continue
      const { oid, type, size, chunks } = body
      body = undefined
      onReply({ oid, type, size, bytes: chunks && Buffer.concat(chunks).subarray(0, size) })
    }
  }
}

interface Body {
  readonly oid: string
  readonly type: string
  readonly size: number
  readonly chunks: Buffer[] | undefined
  have: number
}
