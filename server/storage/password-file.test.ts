import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../test/harness/index.ts'
import { createPasswordFile, passwordIn } from './password-file.ts'
import { openWire } from './postgres.lazy.ts'

const LOGIN = { host: 'db.example.org', port: 5432, database: 'satchel', user: 'app' }

const LINES: Readonly<Record<string, readonly [text: string, password: string | undefined, host?: string]>> =
  {
    'the first line that fits': ['*:*:*:app:one\ndb.example.org:5432:satchel:app:two\n', 'one'],
    'a short line': ['*:*:*:*:p', 'p'],
    'a line after one of another user': ['*:*:*:ann:one\n*:*:*:app:two', 'two'],
    'a line after one of another port': ['*:5433:*:*:one\n*:5432:*:*:two', 'two'],
    'no line of another database': ['*:*:other:*:one', undefined],
    'no line with fewer fields': ['db.example.org:5432:satchel:app', undefined],
    'no comment': ['#*:*:*:*:one\n*:*:*:*:two', 'two'],
    'a password with a colon and a backslash': [String.raw`*:*:*:*:a\:b\\c`, String.raw`a:b\c`],
    'a password up to a colon that is not escaped': ['*:*:*:*:a:b', 'a'],
    'a password in other letters, with spaces': ['*:*:*:*: pässword ', ' pässword '],
    'lines that end as on Windows': ['*:*:*:ann:one\r\n*:*:*:app:two\r\n', 'two'],
    'an address with colons': [String.raw`\:\:1:5432:*:*:one`, 'one', '::1'],
    'the usual socket as localhost': ['localhost:*:*:*:one', 'one', '/var/run/postgresql'],
    'another socket by its folder': ['localhost:*:*:*:one\n/srv/pg:*:*:*:two', 'two', '/srv/pg'],
    'no star that is escaped': [String.raw`\*:*:*:*:one`, undefined],
  }

for (const [what, [text, password, host = LOGIN.host]] of Object.entries(LINES)) {
  test(`of a password file counts ${what}`, () => {
    assert.equal(passwordIn(text, { ...LOGIN, host }), password)
  })
}

test('a password file that others may read is left out, and told once', async (t) => {
  const path = join(await temporaryFolder(t), 'pgpass')
  writeFileSync(path, '*:*:*:*:hunter2\n', { mode: 0o600 })
  const told: unknown[] = []
  const passwordOf = createPasswordFile({
    env: { PGPASSFILE: path },
    log: { warn: (...words) => void told.push(words) },
  })

  assert.equal(await passwordOf(LOGIN), 'hunter2')
  if (process.platform === 'win32') return
  chmodSync(path, 0o640)
  assert.equal(await passwordOf(LOGIN), undefined)
  assert.equal(await passwordOf(LOGIN), undefined)
  assert.equal(told.length, 1)
  assert.match(JSON.stringify(told), /chmod 600/)
  assert.doesNotMatch(JSON.stringify(told), /hunter2/)
})

test('a password file that is missing is nothing to tell; a folder in its place is', async (t) => {
  const folder = await temporaryFolder(t)
  const told: unknown[] = []
  const log = { warn: (...words: unknown[]) => void told.push(words) }

  assert.equal(await createPasswordFile({ log, env: { PGPASSFILE: join(folder, 'none') } })(LOGIN), undefined)
  assert.equal(told.length, 0)
  assert.equal(await createPasswordFile({ log, env: { PGPASSFILE: folder } })(LOGIN), undefined)
  assert.equal(told.length, 1)
})

/** A server that asks for a password, keeps it, and hangs up. */
async function startAsking(t: TestContext) {
  const passwords: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])) // AuthenticationCleartextPassword
      socket.once('data', (message) => {
        passwords.push(message.subarray(5, -1).toString())
        socket.destroy()
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, passwords }
}

test('a connection takes the password of the file where the address has none', async (t) => {
  const { port, passwords } = await startAsking(t)
  const path = join(await temporaryFolder(t), 'pgpass')
  writeFileSync(path, `127.0.0.1:${port}:satchel:app:first\n*:*:*:*:last\n`, { mode: 0o600 })
  const before = process.env['PGPASSWORD']
  delete process.env['PGPASSWORD'] // the driver reads it
  t.after(() => {
    if (before !== undefined) process.env['PGPASSWORD'] = before
  })
  const parts = { env: { PGPASSFILE: path }, log: { warn() {} } }
  const notices: string[] = []
  const note = ({ message }: Error) => void notices.push(message)
  process.on('warning', note)
  t.after(() => process.off('warning', note))

  for (const user of ['app', 'app:own']) {
    const url = `postgres://${user}@127.0.0.1:${port}/satchel?sslmode=disable`
    const wire = openWire(url, undefined, parts)
    await assert.rejects(wire.withClient((run) => run('select 1')))
    await assert.rejects(wire.openLine())
    await wire.end()
  }

  assert.deepEqual(passwords, ['first', 'first', 'own', 'own'])
  assert.deepEqual(notices, [])
})
