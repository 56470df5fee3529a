import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../harness/index.ts'
import { KEPT_CODE, SATCHEL } from '../satchel-process.ts'

/** A `satchel serve` in a process of its own, as an attacker meets it. */
export interface ServedProcess {
  /** `http://127.0.0.1:PORT` */
  readonly address: string
  readonly port: number
  readonly token: string
  readonly project: string
  /** What it wrote to stderr. */
  log(): string
  /** Whether the process has not ended. */
  isAlive(): boolean
  /** Resident memory in bytes; undefined where the system does not tell. */
  memory(): Promise<number | undefined>
}

export interface ServeOptions {
  /** Absent: `serve`. */
  readonly words?: readonly string[]
  /** Further files of the project: name -> text. */
  readonly files?: Readonly<Record<string, string>>
}

/** Starts a server on loopback; it is ended after the test. `settings`: more of its configuration, as YAML. */
export async function serveProcess(
  t: TestContext,
  settings = '',
  { words: verb = ['serve'], files = {} }: ServeOptions = {},
): Promise<ServedProcess> {
  const project = await temporaryFolder(t)
  for (const [name, text] of Object.entries({ ...files, 'satchel.yaml': settings }))
    await writeFile(join(project, name), text)
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, ...verb, '--host', '127.0.0.1', '--port', '0', '--json'], {
    cwd: project,
    env: { PATH: String(process.env['PATH']), HOME: project, ...KEPT_CODE },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error(`the server ended at its start: ${log}`))),
  ])
  const { address } = JSON.parse(String(line)).listeners[0] as { address: string }
  return {
    address,
    port: Number(new URL(address).port),
    token: /token for remote callers: ([\w-]+)/.exec(log)?.[1] ?? '',
    project,
    log: () => log,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    memory: () => residentMemory(child.pid ?? 0),
  }
}

async function residentMemory(pid: number): Promise<number | undefined> {
  const { readFile } = await import('node:fs/promises')
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
}
