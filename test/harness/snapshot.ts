import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Compares `value` with the JSON file at `path`. `UPDATE=1` rewrites the file; a missing one is written locally and is a
 * failure in CI, where no one reviews it.
 */
export function matchesSnapshot(path: string, value: unknown): void {
  const text = `${JSON.stringify(value, null, 2)}\n`
  const missing = !existsSync(path)
  if (process.env['UPDATE'] === '1' || (missing && !process.env['CI'])) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return
  }
  assert.ok(!missing, `the snapshot ${path} is missing: run UPDATE=1 npm test and review it`)
  assert.equal(
    text,
    readFileSync(path, 'utf8'),
    `${path} differs: run UPDATE=1 npm test and review the change`,
  )
}
