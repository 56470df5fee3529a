import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { type Browser, chromium } from 'playwright-core'

/** `CHROMIUM_PATH`, else the system's browser on PATH. */
function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH']
  if (named) return named
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return ['chromium', 'chromium-browser', 'google-chrome']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path))
}

/** How long a page may take for one step; a busy machine must not fail a test. */
const STEP_MS = 180_000

let launched: Promise<Browser> | undefined
after(async () => (await launched)?.close())

/**
 * A browser that resolves no name, so that every request to another host fails. The tests of a file share it, each with
 * contexts of its own, and it ends with them.
 * Undefined: none is installed, said loudly; `REQUIRE_BROWSER=1` makes that a failure.
 */
export async function openBrowser(t: TestContext): Promise<Browser | undefined> {
  const executablePath = findChromium()
  if (executablePath === undefined) {
    assert.notEqual(process.env['REQUIRE_BROWSER'], '1', 'REQUIRE_BROWSER=1, and no Chromium was found')
    t.skip('NO BROWSER: install Chromium or set CHROMIUM_PATH; no page was looked at')
    return undefined
  }
  launched ??= launch(executablePath)
  return launched
}

async function launch(executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
  return browser.on('context', (context) => context.setDefaultTimeout(STEP_MS))
}
