/** How long a check of a configuration with 200 calls takes, from the start of the process to its end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { writeManyRecords } from '../../../plugins/modules/testing/many-records.ts'
import type { LabContext } from '../../context.ts'
import { type Figure, limitFigure } from '../figure.ts'
import { timed } from '../timing.ts'

const CALLS = 200
const CALLS_OF_FILE = 5
const MODULES = 450
const REFS = 3
const ROUNDS = 3
/** Issue K, section 2. */
const LIMIT_MS = 1_000

/** 200 calls in 40 directories, against an index of 1,350 records. */
export async function measureCheck(dir: string, { program, signal }: LabContext): Promise<Figure> {
  const project = join(dir, 'check')
  await mkdir(project, { recursive: true })
  await writeManyRecords(project, MODULES, REFS)
  for (let at = 0; at < CALLS; at += CALLS_OF_FILE) {
    const folder = join(project, 'live', `stack-${at}`)
    await mkdir(folder, { recursive: true })
    const calls = Array.from({ length: CALLS_OF_FILE }, (_, n) => callOf(at + n))
    await writeFile(join(folder, 'main.tf'), calls.join('\n'))
  }
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    signal.throwIfAborted()
    const { ms, value } = await timed(() => check(program, project))
    if (value !== CALLS) throw new Error(`the bench checked ${value} calls`)
    best = Math.min(best, ms)
  }
  const what = `a check of ${CALLS} calls, ${MODULES * REFS} modules indexed`
  return limitFigure({ name: 'modules.check', what, unit: 'ms', ours: best, limit: LIMIT_MS })
}

function callOf(at: number): string {
  const source = `https://example.test/acme/terraform-sample-${at}?ref=v2.0.0`
  return `module "m${at}" {\n  source = "${source}"\n  cidr   = "10.0.0.0/16"\n  name   = var.name\n}\n`
}

async function check([command, ...args]: LabContext['program'], cwd: string): Promise<number> {
  const words = [...args, 'modules', 'check', 'live', '--json', '--quiet']
  const child = spawn(command, words, { cwd, stdio: ['ignore', 'pipe', 'ignore'] })
  const [out] = await Promise.all([text(child.stdout), once(child, 'close')])
  return JSON.parse(out).blocks.filter(({ module }: { module?: unknown }) => module !== undefined).length
}
