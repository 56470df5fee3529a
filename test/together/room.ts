import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { parsedJson } from '../../server/platform/json-object.ts'
import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../harness/index.ts'
import { killed } from '../harness/killed.ts'
import { undoAfter } from '../harness/undo.ts'
import { BUILT } from '../workspace-process.ts'

/** A section for each participant, and one that is edited outside the room. */
export const SECTIONS = ['Agent 1', 'Agent 2', 'Agent 3', 'Agent 4', 'Owner', 'Guest', 'Outside'] as const

const ATTEMPTS = 5

const PLAN = `# Plan\n\n${SECTIONS.map((name) => `## ${name}\n\nnothing yet\n\n`).join('')}`

/** A room in a folder under git, whose listener ends and comes back on the same ports. */
export interface TogetherRoom {
  readonly folder: string
  readonly file: string
  readonly sidecar: string
  readonly owner: string
  readonly ingress: string
  /** Of the first start: opens the owner page once. */
  readonly link: string
  /** The process of `satchel workspace open` now. */
  listener(): ChildProcess
  /** Starts the listener again, after it ended. */
  restart(): Promise<void>
  git(...args: readonly string[]): boolean
}

/** Opens it; the listener is killed after the test. */
export async function openTogetherRoom(t: TestContext): Promise<TogetherRoom> {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'plan.md')
  await writeFile(file, PLAN)
  const git = (...args: readonly string[]): boolean => isDone(folder, args)
  for (const args of FIRST_COMMITS) if (!git(...args)) throw new Error(`git ${args.join(' ')} failed`)
  const ports = [await freePort(), await freePort()] as const
  let child: ChildProcess | undefined
  undoAfter(t, () => child && killed(child))
  const start = async (): Promise<Announced> => {
    for (let attempt = 1; ; attempt += 1) {
      child = spawnListener(file, folder, ports)
      const answer = await announced(child)
      if (!('error' in answer)) return answer
      // The processes of the agents race for a room whose listener ended. On a busy machine that takes longer than one
      // `open` waits: its message says to try again.
      const isRace = answer.error.reason === 'room_starting'
      if (!isRace || attempt === ATTEMPTS) throw new Error(`not opened: ${JSON.stringify(answer)}`)
    }
  }
  const { owner, ingress, link } = await start()
  return {
    folder,
    file,
    sidecar: join(folder, '.plan.md.satchel'),
    owner,
    ingress,
    link,
    listener() {
      if (!child) throw new Error('it never began')
      return child
    },
    async restart() {
      const again = await start()
      if (again.owner !== owner || again.ingress !== ingress) throw new Error(`elsewhere: ${again.owner}`)
    },
    git,
  }
}

const FIRST_COMMITS = [
  ['init', '-q', '-b', 'main'],
  ['config', 'user.name', 'a person'],
  ['config', 'user.email', 'person@example.com'],
  ['add', 'plan.md'],
  ['commit', '-q', '-m', 'begin'],
] as const

function isDone(cwd: string, args: readonly string[]): boolean {
  try {
    execFileSync('git', [...args], { cwd, stdio: 'ignore' })
    return true
  } catch {
    return false // a checkout over a text that was committed meanwhile is refused by git
  }
}

function spawnListener(file: string, cwd: string, [owner, ingress]: readonly [number, number]): ChildProcess {
  const ports = ['--owner-port', String(owner), '--ingress-port', String(ingress)]
  return spawn(process.execPath, [...BUILT, 'workspace', 'open', file, ...ports, '--json'], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

interface Announced {
  readonly owner: string
  readonly ingress: string
  readonly link: string
}

interface Refused {
  readonly error: { readonly reason?: string }
}

/** What it prints: one line when the room is open, a document of several lines when it is refused. */
async function announced(child: ChildProcess): Promise<Announced | Refused> {
  if (!child.stdout || !child.stderr) throw new TypeError('the pipes of a child are there')
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-2000)
  })
  let printed = ''
  for await (const line of createInterface({ input: child.stdout })) {
    printed += line
    const document = printed.endsWith('}') ? parsedJson(printed) : undefined
    if (document !== undefined) return document as Announced | Refused // what it prints
  }
  throw new Error(`the room was not opened: ${printed} ${complaint}`)
}
