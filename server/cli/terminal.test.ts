import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import { openTerminal } from './terminal.ts'

/** A terminal whose output goes to `out`. */
function over(out: Writable) {
  const stdout = {
    write: (text: string, done?: (error?: Error | null) => void) => out.write(text, done),
    on: (event: string, listener: (error?: Error) => void) => out.on(event, listener),
    isTTY: false,
    columns: undefined,
  }
  const io = {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    env: {},
    cwd: '/',
    onSignal: () => () => {},
    onIdle: () => () => {},
  }
  return openTerminal(io, { json: false, quiet: false })
}

test('a flush tells whether what was written left the process', async () => {
  const taken = over(new PassThrough().resume())
  const full = over(
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error('full'), { code: 'ENOSPC' })),
    }),
  )
  for (const terminal of [taken, full]) terminal.write('a brief')

  assert.deepEqual([await taken.flush(), await full.flush()], [true, false])
  assert.deepEqual([await taken.flush(), await full.flush()], [true, false], 'also when asked again')
})
