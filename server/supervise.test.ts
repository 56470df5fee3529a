import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import * as z from 'zod'
import { type EndedProcess, endedProcess } from '../test/harness/ended-process.ts'
import { openHost, temporaryFolder } from '../test/harness/index.ts'
import { KEPT_CODE, runSatchel, SATCHEL } from '../test/satchel-process.ts'
import { definePlugin } from './contract/plugin.ts'

const PLUGIN = (body: string): string => `
import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
export default {
  name: 'odd', version: '1.0.0', apiVersion: 1, config: z.object({}),
  async setup(host) { ${body} },
}
`
const NO_TOOLS = 'return { tools: [] }'

/** A project that lists a plugin with this `setup`. */
async function projectWith(t: TestContext, body: string): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'odd.mjs'), PLUGIN(body))
  await writeFile(join(folder, 'satchel.yaml'), 'plugins: { ./odd.mjs: {} }\n')
  return folder
}

const SERVE = ['serve', '--host', '127.0.0.1', '--port', '0', '--json']

/** Serves the project until it listens and has said all this on stderr, sends it the signal and waits for its end. */
async function servedUntil(
  signal: NodeJS.Signals,
  folder: string,
  said: readonly string[] = [],
): Promise<EndedProcess> {
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, ...SERVE], {
    cwd: folder,
    env: { PATH: String(process.env['PATH']), HOME: folder, ...KEPT_CODE },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = endedProcess(child)
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  await Promise.race([once(child.stdout, 'data'), ended])
  while (child.exitCode === null && !said.every((word) => err.includes(word)))
    await Promise.race([once(child.stderr, 'data'), ended])
  child.kill(signal)
  return ended
}

describe('a plugin under supervision', () => {
  it('ends neither the host nor its stop by what nothing handles: one line names it', async (t) => {
    const folder = await projectWith(
      t,
      `setTimeout(() => Promise.reject(new Error('stray one')));
       setTimeout(() => { throw new Error('stray two') });
       ${NO_TOOLS}`,
    )

    const { code, err } = await servedUntil('SIGTERM', folder, ['stray one', 'stray two'])

    const lines = err.split('\n').filter((line) => line.includes('stray'))
    assert.equal(code, 0, err)
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ level, plugin }) => [level, plugin]),
      [
        ['error', 'odd'],
        ['error', 'odd'],
      ],
    )
  })

  it('ends the host in order by it where the settings say so', async (t) => {
    const folder = await projectWith(
      t,
      `process.once('SIGUSR2', () => Promise.reject(new Error('stray one')));
       return { tools: [], stop: async () => console.error('stopped in order') }`,
    )
    const settings = 'plugins: { ./odd.mjs: {} }\nhttp: { on_stray_error: stop }\n'
    await writeFile(join(folder, 'satchel.yaml'), settings)

    const { code, err } = await servedUntil('SIGUSR2', folder)

    assert.equal(code, 0, err)
    assert.match(err, /stray one[\s\S]*stopped in order/)
  })

  it('whose file or settings are wrong is refused with the place', async (t) => {
    const folder = await projectWith(t, NO_TOOLS)
    const serve = () => runSatchel(folder, ['serve', '--host', '127.0.0.1', '--port', '0'])

    await writeFile(join(folder, 'satchel.yaml'), 'plugins:\n  ./odd.mjs:\n    bord: 1\n')
    const unknown = await serve()
    await writeFile(join(folder, 'satchel.yaml'), 'plugins:\n  ./odd.mjs: {}\n')
    await writeFile(join(folder, 'odd.mjs'), 'export default {\n  name: }\n')
    const broken = await serve()

    assert.equal(unknown.code, 3, unknown.err)
    assert.match(unknown.err, /satchel\.yaml:3: unknown key "plugins\.\.\/odd\.mjs\.bord"/)
    assert.equal(broken.code, 3, broken.err)
    assert.match(broken.err, /odd\.mjs:2: SyntaxError/)
  })

  it('that hangs in setup is named, and the command ends', async (t) => {
    const folder = await projectWith(t, 'await new Promise(() => {})')

    const { code, err } = await runSatchel(folder, ['serve', '--host', '127.0.0.1', '--port', '0'])

    assert.equal(code, 7, err)
    assert.match(err, /"odd" did not finish setup within 10 s/)
  })

  it('that fails in start and hangs in stop is named twice, and the command ends', async (t) => {
    const folder = await projectWith(
      t,
      `return {
         start: async () => { throw new Error('no start') },
         stop: () => new Promise(() => {}),
       }`,
    )

    const { code, err } = await runSatchel(folder, ['serve', '--host', '127.0.0.1', '--port', '0'])

    assert.equal(code, 1, err)
    assert.match(err, /no start/)
    assert.match(err, /odd.{1,2} did not stop within 5 s/)
  })

  for (const [what, handler, ended] of [
    [
      'prints: standard output has the result alone',
      "console.log('printed'); process.stdout.write('raw\\n'); return { ok: true }",
      { code: 0, out: { ok: true }, err: /printed[\s\S]*raw/ },
    ],
    [
      'leaves a rejection and an exception to others: the call ends, and the log names it',
      `Promise.reject(new Error('stray one')); setTimeout(() => { throw new Error('stray two') })
       return new Promise((resolve) => setTimeout(() => resolve({ ok: true }), 200))`,
      { code: 0, out: { ok: true }, err: /"plugin":"odd".*stray one[\s\S]*"plugin":"odd".*stray two/ },
    ],
    [
      'answers beside a rejection that nothing handles: the log names it',
      "Promise.reject(new Error('stray one')); return { ok: true }",
      { code: 0, out: { ok: true }, err: /"plugin":"odd".*stray one/ },
    ],
    [
      'never answers: the message names the tool',
      'return new Promise(() => {})',
      { code: 1, out: 'never_answered', err: /^$/ },
    ],
    [
      'loses its answer with an exception: the message names the tool',
      "return new Promise(() => setTimeout(() => { throw new Error('stray two') }))",
      { code: 1, out: 'never_answered', err: /"plugin":"odd".*stray two/ },
    ],
  ] as const) {
    it(`whose tool at the command line ${what}`, async (t) => {
      const folder = await projectWith(
        t,
        `return { tools: [{
           name: 'odd_do', title: 'Do', description: 'Does what the test says.', profile: 'core',
           input: z.object({}), output: z.object({ ok: z.boolean() }),
           annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
           cli: { verb: 'odd do' }, example: {},
           async handler() { ${handler} },
           headline: () => 'done',
         }] }`,
      )

      const { code, out, err } = await runSatchel(folder, ['odd', 'do', '--json'])

      const answer = JSON.parse(out || 'null')
      assert.deepEqual([code, answer?.error?.reason ?? answer], [ended.code, ended.out], err)
      if (ended.code !== 0) assert.match(answer.error.message, /tool odd_do/)
      assert.match(err, ended.err)
    })
  }

  it('that ends the process makes the command fail: the message names the line', async (t) => {
    const folder = await projectWith(t, 'process.exit(0)')

    const verb = await runSatchel(folder, ['odd', 'do'])
    const doctor = await runSatchel(folder, ['doctor'])

    for (const { code, out, err } of [verb, doctor]) {
      assert.deepEqual([code, out], [1, ''], err)
      assert.match(err, /process\.exit\(0\) was called at .*odd\.mjs:\d+:\d+\)?, before the command was done/)
    }
  })

  it('that is never loaded to the end gives a verb an error, not silence', async (t) => {
    const folder = await projectWith(t, NO_TOOLS)
    await writeFile(join(folder, 'odd.mjs'), 'await new Promise(() => {})\n')

    const { code, out, err } = await runSatchel(folder, ['odd', 'do', '--json'])

    assert.equal(code, 1, err)
    assert.equal(JSON.parse(out).error.reason, 'never_answered')
  })

  it('with a stray rejection while it is loaded does not end a verb or a server', async (t) => {
    const folder = await projectWith(t, NO_TOOLS)
    const loaded = `Promise.reject(new Error('stray while loaded'))
await new Promise((resolve) => setTimeout(resolve, 50))
${PLUGIN(NO_TOOLS)}`
    await writeFile(join(folder, 'odd.mjs'), loaded)

    const verb = await runSatchel(folder, ['handoff', 'list', '--json'])
    const served = await servedUntil('SIGTERM', folder)
    const shown = await runSatchel(folder, ['odd', '--help'])

    assert.deepEqual([verb.code, served.code], [0, 0], verb.err + served.err)
    assert.match(served.err, /"level":"error".*stray while loaded/)
    assert.match(shown.err, /"level":"error".*stray while loaded/)
  })

  for (const [what, answer] of [
    ['throws', () => Promise.reject(new Error('broken'))],
    ['names an operator', async () => ({ id: 'x', kind: 'operator', capabilities: [] }) as const],
    ['names a local caller', async () => ({ id: 'x', kind: 'local', capabilities: [] }) as const],
    [
      'names a session of another plugin',
      async () => ({ id: 'x', kind: 'session', plugin: 'handoff', capabilities: [] }) as const,
    ],
  ] as const) {
    it(`whose authenticate ${what} knows no caller, and the log says so`, async (t) => {
      const plugin = definePlugin({
        name: 'odd',
        version: '1.0.0',
        apiVersion: 1,
        config: z.object({}),
        setup: async () => ({ authenticate: answer }),
      })
      const { host, logged } = await openHost(t, { plugins: [plugin] })

      assert.equal(await host.authenticate({ transport: 'http', bearer: 'x' }), undefined)
      assert.match(logged.join(''), /"plugin":"odd"/)
    })
  }
})
