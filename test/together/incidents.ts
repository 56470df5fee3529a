import { once } from 'node:events'
import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { killed } from '../harness/killed.ts'
import { ownerPid } from '../workspace-process.ts'
import type { TogetherRoom } from './room.ts'

const DOWN_MS = 1200
const FROZEN_MS = 1000
const READ_ONLY = 0o444
const WRITABLE = 0o644

/** What an incident may touch. */
export interface Stage {
  readonly room: TogetherRoom
  /** Kills one of the agents, and starts another one in its place. */
  replaceAgent(): Promise<void>
  /** A text that was written into the file from outside: returns when a version has it. */
  isVersion(text: string): Promise<void>
}

/** What happens to a room, in this order, again and again. Kills and stops alternate with edits. */
export const INCIDENTS: Readonly<Record<string, (stage: Stage, turn: number) => Promise<void>>> = {
  async 'the file is replaced'({ room, isVersion }, turn) {
    const text = await outside(room, `replaced ${turn}`)
    await writeFile(`${room.file}.new`, text.whole)
    await rename(`${room.file}.new`, room.file)
    await isVersion(text.mark)
  },
  async 'the listener is killed'({ room }) {
    await killed(room.listener())
    await pause(DOWN_MS)
    await room.restart()
  },
  async 'the file is written in place'({ room, isVersion }, turn) {
    const text = await outside(room, `written ${turn}`)
    await writeFile(room.file, text.whole)
    await isVersion(text.mark)
  },
  async 'an agent is killed'({ replaceAgent }) {
    await replaceAgent()
  },
  async 'git goes to another commit and back'({ room: { git } }, turn) {
    git('commit', '-q', '--all', '-m', `state ${turn}`)
    if (!git('checkout', '-q', '--detach', 'HEAD~1')) return
    await pause(DOWN_MS)
    git('checkout', '-q', '--force', 'main')
  },
  async 'the listener is stopped'({ room }) {
    const child = room.listener()
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    await pause(DOWN_MS)
    await room.restart()
  },
  async 'the file is read-only for a while'({ room: { file } }) {
    await chmod(file, READ_ONLY)
    await pause(DOWN_MS)
    await chmod(file, WRITABLE)
  },
  async 'the owner is frozen'({ room: { sidecar } }) {
    const pid = ownerPid(sidecar)
    process.kill(pid, 'SIGSTOP')
    await pause(FROZEN_MS)
    process.kill(pid, 'SIGCONT')
  },
}

async function outside({ file }: TogetherRoom, mark: string): Promise<{ mark: string; whole: string }> {
  const text = await readFile(file, 'utf8')
  return { mark, whole: text.replace(/(?<=^## Outside\n\n).*$/m, mark) }
}
