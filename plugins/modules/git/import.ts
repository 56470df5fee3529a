/** Writes what no git remote has into one of our stores: the files of an archive as a commit, and refs. */
import { once } from 'node:events'
import { startGit } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { CONSTANT_CONFIG } from './environment.ts'
import { abortError } from './failure.ts'
import { privateRef } from './store.ts'

/** A file of a commit to be made; of a link the content is its target. */
export interface ImportedFile {
  /** Relative to the root of the commit, `/` between parts. */
  readonly path: string
  readonly kind: 'file' | 'link'
  /** From `addBlob`. */
  readonly mark: number
}

/** One `git fast-import`; nothing of it exists before `finish`. Its owner calls `finish` or `discard`. */
export interface Import {
  /** Writes one blob; gives its mark. Errors: `RangeError` for content of another size. */
  addBlob(size: number, content: AsyncIterable<Uint8Array>): Promise<number>
  /** Makes a ref name a commit of these files. Equal files and message give an equal commit. */
  addCommit(fullName: string, message: string, files: readonly ImportedFile[]): Promise<void>
  /** Makes a ref name a commit with a tree of the store. */
  addTree(fullName: string, message: string, tree: string): Promise<void>
  /** Makes a ref name a commit of the store. */
  addRef(fullName: string, commit: string): Promise<void>
  /** Errors: `unavailable`/`storage_failed` where git could not write. */
  finish(): Promise<void>
  discard(): Promise<void>
}

export interface ImportOptions {
  readonly baseDir: string
  /** From `gitEnvironment`. */
  readonly environment: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Always in packs, whose size is watched. */
const CONFIG = [...CONSTANT_CONFIG, 'fastimport.unpackLimit=1']
/** Equal content has to give equal ids. */
const WHO = 'satchel <satchel> 0 +0000'

/** Starts git in the store that `environment` names; only while its lock is held. */
export function openImport({ baseDir, environment, signal }: ImportOptions): Import {
  const child = startGit(['fast-import', '--quiet', '--done', '--force'], {
    cwd: baseDir,
    env: environment,
    config: CONFIG,
  })
  const closed = new Promise<number | null>((resolve) => {
    child.once('close', resolve)
    child.once('error', () => resolve(null))
  })
  const abort = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', abort, { once: true })
  void closed.then(() => signal.removeEventListener('abort', abort)) // `closed` never rejects
  child.stdin.on('error', () => undefined) // git ended: its exit code tells
  child.stdout.resume()
  let marks = 0
  const write = async (bytes: string | Uint8Array): Promise<void> => {
    if (signal.aborted) throw abortError(signal)
    if (!child.stdin.writable) throw refusals.clone_not_written()
    if (!child.stdin.write(bytes)) await Promise.race([once(child.stdin, 'drain'), closed])
  }
  const commit = async (fullName: string, message: string, lines: readonly string[]): Promise<void> => {
    const text = Buffer.from(message)
    await write(`commit ${privateRef(fullName)}\ncommitter ${WHO}\ndata ${text.length}\n`)
    await write(text)
    await write(`\n${lines.join('')}\n`)
  }
  return {
    async addBlob(size, content) {
      marks += 1
      await write(`blob\nmark :${marks}\ndata ${size}\n`)
      let left = size
      for await (const chunk of content) {
        left -= chunk.length
        if (left < 0) break // what follows the announced bytes would be read as commands
        await write(chunk)
      }
      if (left !== 0) throw new RangeError('the content has another size')
      await write('\n')
      return marks
    },
    addCommit: (fullName, message, files) =>
      commit(
        fullName,
        message,
        files.map(
          ({ path, kind, mark }) => `M ${kind === 'link' ? '120000' : '100644'} :${mark} ${quoted(path)}\n`,
        ),
      ),
    addTree: (fullName, message, tree) => commit(fullName, message, [`M 040000 ${tree} ""\n`]),
    addRef: (fullName, id) => write(`reset ${privateRef(fullName)}\nfrom ${id}\n\n`),
    async finish() {
      await write('done\n')
      child.stdin.end()
      const code = await closed
      if (signal.aborted) throw abortError(signal)
      if (code !== 0) throw refusals.clone_not_written()
    },
    async discard() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** A path in the quotes of git: any byte may be in it. */
function quoted(path: string): string {
  const bytes = [...Buffer.from(path)].map((byte) =>
    byte < 32 || byte > 126 || byte === 34 || byte === 92
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte),
  )
  return `"${bytes.join('')}"`
}
