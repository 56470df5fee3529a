import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { bundled } from '../../../test/fixtures/bundled.ts'
import { buildRemote } from './build-remote.ts'

/** What `openRunner` starts. */
export const RUNNER = await bundled(join(import.meta.dirname, 'ingest-runner.ts'))

/** An ingest in a process of its own. */
export interface Runner {
  readonly child: ChildProcess
  /** Starts the ingest; the promise gives what it printed, undefined when it was killed. */
  run(): Promise<Record<string, unknown> | undefined>
}

/** A process with everything loaded, waiting for the word to start. */
export async function openRunner(
  t: TestContext,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Runner> {
  const child = spawn(process.execPath, [RUNNER, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  child.stdin.on('error', () => undefined) // it was killed: `closed` tells
  const closed = once(child, 'close')
  while (!said.includes('ready\n')) await once(child.stdout, 'data')
  return {
    child,
    async run() {
      child.stdin.write('go\n')
      await closed // a kill may come before it says that it started
      const last = said.trim().split('\n').at(-1) ?? ''
      return last.startsWith('{') ? JSON.parse(last) : undefined
    },
  }
}

function moduleText(at: number): string {
  return `variable "v${at}" {\n  description = "${'text '.repeat(50)}"\n}\nresource "aws_thing" "t${at}" {}\n`
}

/** Three repositories of 12 modules at 6 refs each. */
export async function makeRemotes(dir: string): Promise<string[]> {
  const urls: string[] = []
  for (const name of ['terraform-a-one', 'terraform-a-two', 'terraform-a-three']) {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`modules/m${at}/main.tf`, moduleText(at)]),
    )
    urls.push(
      await buildRemote(join(dir, `${name}.git`), [
        { files, tags: ['v1.0.0'] },
        ...Array.from({ length: 4 }, (_, at) => ({
          files: { [`modules/m${at}/more.tf`]: moduleText(100 + at) },
          tags: [`v1.${at + 1}.0`],
        })),
      ]),
    )
  }
  return urls
}

/** Every summary parses, and the index names only files that are there with the content it says. */
export async function assertWhole(outputDir: string): Promise<number> {
  const names = await readdir(outputDir).catch(() => [])
  for (const name of names.filter((file) => file.endsWith('.json'))) {
    JSON.parse(await readFile(join(outputDir, name), 'utf8'))
  }
  const text = await readFile(join(outputDir, '.satchel', 'index.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return 0
  const { records } = JSON.parse(text) as {
    records: { summary_file: string; repository: string; ref: string; path: string }[]
  }
  for (const record of records) {
    const summary = JSON.parse(await readFile(join(outputDir, record.summary_file), 'utf8'))
    assert.deepEqual(
      [summary.repository, summary.ref, summary.path],
      [record.repository, record.ref, record.path],
      record.summary_file,
    )
  }
  return records.length
}

/** Names and hashes of all summaries, and the index without its times. */
export async function stateOf(outputDir: string): Promise<unknown> {
  const names = (await readdir(outputDir)).sort()
  const hashes = await Promise.all(
    names
      .filter((name) => name !== '.satchel')
      .map(async (name) => [
        name,
        createHash('sha256')
          .update(await readFile(join(outputDir, name)))
          .digest('hex'),
      ]),
  )
  const index = JSON.parse(await readFile(join(outputDir, '.satchel', 'index.json'), 'utf8'))
  const records = index.records.map(({ last_updated: _, ...record }: Record<string, unknown>) => record)
  return { hashes, records }
}
