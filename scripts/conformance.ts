// Runs the official conformance suite against our own front with the suite's fixtures behind it. Exit 0: every scored
// scenario of both revisions passes, but for exactly what the baselines name.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const REVISIONS = ['2026-07-28', '2025-11-25'] as const
const root = fileURLToPath(new URL('..', import.meta.url))
/** Below `reports`. */
const RESULTS = process.env['CONFORMANCE_RESULTS'] ?? 'conformance'
const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'

const server = spawn(
  process.execPath,
  ['--import', './scripts/typescript.mjs', 'test/conformance/serve.ts'],
  {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  },
)
try {
  const url = await firstLine(server)
  let failed = false
  for (const revision of REVISIONS) {
    console.log(`\n== requirements of ${revision}`)
    const code = await runSuite(url, revision)
    if (code !== 0) failed = true
  }
  process.exitCode = failed ? 1 : 0
} finally {
  server.stdin?.end()
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the server has no stdout')
  for await (const line of createInterface(child.stdout)) return line
  throw new Error('the server ended before it listened')
}

async function runSuite(url: string, revision: string): Promise<number> {
  const results = `reports/${RESULTS}/${revision}`
  await mkdir(`${root}/${results}`, { recursive: true })
  const child = spawn(
    process.execPath,
    [
      ...['--import', './test/conformance/glob-shim.mjs', suite, 'server', '--url', url],
      ...['--requirements', revision, '--expected-failures', `test/conformance/${revision}.yml`],
      ...['--output-dir', results],
    ],
    { cwd: root, stdio: 'inherit' },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
