import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { temporaryFolder } from './harness/index.ts'
import { runSatchel, SATCHEL } from './satchel-process.ts'

/** Files that people have, by client, in the order in which a setup writes them. */
const BEFORE: Readonly<Record<string, { readonly path: string; readonly text: string }>> = {
  'gemini-cli': { path: '.gemini/settings.json', text: '{ "theme": "mine" }\n' },
  cursor: { path: '.cursor/mcp.json', text: '{\r\n  // mine\r\n  "mcpServers": {},\r\n}' },
  codex: { path: '.codex/config.toml', text: 'model = "x" # mine\n' },
}
const FILES = Object.values(BEFORE)

for (const [at, { path }] of FILES.entries()) {
  test(`a setup killed when it has written ${path} leaves whole files, and a removal restores all`, async (t) => {
    const home = await temporaryFolder(t)
    for (const { path, text } of FILES) {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), text)
    }
    const textOf = (each: { readonly path: string }) => readFileSync(join(home, each.path), 'utf8')

    const state = join(home, '.local/state/satchel/setup')
    mkdirSync(state, { recursive: true })
    writeFileSync(join(state, '.tmp-1-0123456789ab'), 'of a setup that was killed while it wrote')
    await killedOnce(() => textOf(FILES[at] ?? { path }).includes('satchel'), home)
    const left = FILES.map(textOf)
    const again = await runSatchel(home, ['setup', ...Object.keys(BEFORE), '--json'])
    const put = FILES.map(textOf)
    const removed = await runSatchel(home, ['setup', '--remove', '--json'])

    assert.equal(again.code, 0, again.out)
    for (const [index, text] of left.entries())
      assert.ok(text === FILES[index]?.text || text === put[index], `${FILES[index]?.path}: ${text}`)
    assert.equal(removed.code, 0, removed.out)
    assert.deepEqual(
      FILES.map(textOf),
      FILES.map(({ text }) => text),
    )
    assert.deepEqual(
      readdirSync(state).filter((name) => !name.startsWith('lock.')),
      [],
    )
    for (const { path } of FILES) assert.equal(readdirSync(join(home, dirname(path))).length, 1, path)
  })
}

/** Starts a setup of all clients, kills it as soon as `isTime`, and waits for its end. */
async function killedOnce(isTime: () => boolean, home: string): Promise<void> {
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, 'setup', ...Object.keys(BEFORE)], {
    cwd: home,
    env: { HOME: home, PATH: String(process.env['PATH']) },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  while (child.exitCode === null && !isTime()) await setImmediate()
  child.kill('SIGKILL')
  await ended
}
