import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { temporaryFolder } from '../../test/harness/index.ts'
import { openWire } from './postgres.lazy.ts'
import type { Wire } from './postgres.ts'

/** A key, and a certificate for a host that is not the one that is asked. */
async function newCertificate(t: TestContext) {
  if (spawnSync('openssl', ['version']).error) {
    // Node makes no certificates. `.ci/run` installs the program and requires it.
    assert.notEqual(process.env['REQUIRE_OPENSSL'], '1', 'openssl is not installed')
    return void t.skip('SKIPPED: openssl is not installed')
  }
  const folder = await temporaryFolder(t)
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const words = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ]
  const subject = ['-subj', '/CN=other.example', '-addext', 'subjectAltName=DNS:other.example']
  execFileSync('openssl', [...words, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  return { key: readFileSync(key), cert: readFileSync(certificate), certificate }
}

/** A server that answers the request for encryption: with no, with the start of TLS, or not at all. */
async function startServer(t: TestContext, tls: { key: Buffer; cert: Buffer } | undefined): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(tls ? 'S' : 'N')
      if (tls) new TLSSocket(socket, { isServer: true, ...tls }).on('error', () => {})
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function refusalOf(url: string): Promise<{ reason: string; message: string }> {
  let wire: Wire | undefined
  try {
    wire = openWire(url)
    await wire.withClient((run) => run('select 1'))
    return assert.fail('it was not refused')
  } catch (thrown) {
    const { reason, message } = thrown as { reason: string; message: string }
    return { reason, message }
  } finally {
    await wire?.end()
  }
}

test('a server that does not encrypt as it is asked to is told by that', async (t) => {
  const made = await newCertificate(t)
  if (!made) return
  const [plain, encrypting] = [await startServer(t, undefined), await startServer(t, made)]
  const at = (port: number, words: string) => `postgres://app:x@127.0.0.1:${port}/satchel?${words}`

  const unencrypted = await refusalOf(at(plain, 'sslmode=verify-full'))
  const untrusted = await refusalOf(at(encrypting, 'sslmode=verify-full'))
  const misnamed = await refusalOf(at(encrypting, `sslmode=verify-full&sslrootcert=${made.certificate}`))
  const missing = await refusalOf(at(plain, 'sslmode=verify-full&sslrootcert=/none/ca.pem'))

  assert.equal(unencrypted.reason, 'storage_encryption')
  assert.match(unencrypted.message, /offers no encryption.*sslmode/)
  assert.equal(untrusted.reason, 'storage_certificate')
  assert.match(untrusted.message, /\(DEPTH_ZERO_SELF_SIGNED_CERT\).*sslrootcert/)
  assert.equal(misnamed.reason, 'storage_certificate')
  assert.match(misnamed.message, /\(ERR_TLS_CERT_ALTNAME_INVALID\)/)
  assert.equal(missing.reason, 'storage_certificate_file')
  assert.match(missing.message, /sslrootcert.*\(ENOENT\)/)
})

test('a mode that the driver takes for verify-full is checked as that, without its warning', async (t) => {
  const made = await newCertificate(t)
  if (!made) return
  const port = await startServer(t, made)
  const warned: string[] = []
  const listen = (warning: Error): void => void warned.push(warning.message)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))

  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    const { reason } = await refusalOf(`postgres://app:x@127.0.0.1:${port}/satchel?a=b&sslmode=${mode}`)
    assert.equal(reason, 'storage_certificate', mode)
  }
  await new Promise(setImmediate)

  assert.deepEqual(warned, [])
})
