import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from './free-port.ts'

/** A real sshd on loopback, and an `ssh` that knows nothing but what lies in the folder of the test. */
export interface SshServer {
  readonly port: number
  /** The only user it lets in: the one that runs the test. */
  readonly user: string
  /** First on the PATH: the system's ssh with the settings, keys and known hosts of this test. */
  readonly path: string
  /** What the client takes for known hosts. */
  readonly knownHosts: string
  /** The line by which the client knows this server. */
  readonly hostLine: string
  /** What the server says of itself so far. */
  log(): string
}

const PLACES = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd']
/** As root sshd shuts its first part into this folder, which the system's own service would have made. */
const EMPTY_FOLDER = '/run/sshd'
/** A name that only the client's settings know. */
export const HOST_ALIAS = 'git.example'

/**
 * The sshd of this system; undefined: none is installed, said loudly. `REQUIRE_SSHD=1` makes that a failure.
 */
export function findSshd(t: TestContext): string | undefined {
  const found = PLACES.find((place) => existsSync(place))
  if (found === undefined) {
    assert.notEqual(process.env['REQUIRE_SSHD'], '1', 'REQUIRE_SSHD=1, and no sshd was found')
    t.skip('NOT RUN: this system has no sshd (openssh-server)')
  }
  return found
}

/**
 * Starts sshd with keys and settings of its own in `dir`, and ends it with the test. It lets in the key of this client
 * alone, asks others for a password, and runs what a client asks for in `dir`.
 */
export async function openSshServer(t: TestContext, sshd: string, dir: string): Promise<SshServer> {
  const place = join(dir, 'ssh')
  await mkdir(place, { mode: 0o700 })
  const at = (name: string): string => join(place, name)
  for (const name of ['host_key', 'client_key', 'foreign_key']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'sample', '-f', at(name)])
  }
  const inFolder = `restrict,command="cd '${dir}' && exec sh -c \\"$SSH_ORIGINAL_COMMAND\\""`
  await writeFile(at('authorized_keys'), `${inFolder} ${await readFile(at('client_key.pub'), 'utf8')}`)
  const port = await freePort()
  await writeFile(at('sshd_config'), serverSettings(place, port))
  await makeEmptyFolder(t)
  const { log } = await start(t, sshd, at('sshd_config'))
  const { path } = await openClient(place, port)
  const [kind, key] = (await readFile(at('host_key.pub'), 'utf8')).split(' ')
  const hostLine = `[127.0.0.1]:${port} ${kind} ${key}\n`
  await writeFile(at('known_hosts'), hostLine)
  return { port, user: userInfo().username, path, knownHosts: at('known_hosts'), hostLine, log }
}

function serverSettings(place: string, port: number): string {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${place}/host_key`,
    `AuthorizedKeysFile ${place}/authorized_keys`,
    'PidFile none',
    'StrictModes no', // others may write to the folders above ours
    'UsePAM no',
    'PasswordAuthentication yes',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin yes', // the user that runs the test may be root; with a password it is asked for, but none is right
    'PermitEmptyPasswords no',
    'PrintMotd no',
    'LogLevel VERBOSE',
    '',
  ].join('\n')
}

async function openClient(place: string, port: number): Promise<{ path: string }> {
  const settings = [
    `Host ${HOST_ALIAS}`,
    '  HostName 127.0.0.1',
    `  Port ${port}`,
    'Host *',
    `  IdentityFile ${place}/client_key`,
    '  IdentitiesOnly yes',
    '  IdentityAgent none',
    `  UserKnownHostsFile ${place}/known_hosts`,
    '  GlobalKnownHostsFile /dev/null',
    '',
  ]
  await writeFile(join(place, 'ssh_config'), settings.join('\n'))
  const tools = join(place, 'tools')
  await mkdir(tools)
  const real = execFileSync('sh', ['-c', 'command -v ssh'], { encoding: 'utf8' }).trim()
  const script = `#!/bin/sh\nexec ${real} -F '${place}/ssh_config' "$@"\n`
  await writeFile(join(tools, 'ssh'), script, { mode: 0o755 })
  return { path: `${tools}:${process.env['PATH']}` }
}

async function makeEmptyFolder(t: TestContext): Promise<void> {
  if (process.getuid?.() !== 0 || existsSync(EMPTY_FOLDER)) return
  await mkdir(EMPTY_FOLDER, { mode: 0o755 })
  t.after(() => rmdir(EMPTY_FOLDER).catch(() => undefined)) // a service may use it by now
}

async function start(t: TestContext, sshd: string, settings: string): Promise<{ log: () => string }> {
  const child: ChildProcess = spawn(sshd, ['-D', '-e', '-f', settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit') // what sshd forked may hold its output longer
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  while (!said.includes('Server listening on')) {
    const more = await Promise.race([once(child.stderr ?? child, 'data'), ended.then(() => undefined)])
    assert.ok(more, `sshd ended: ${said}`)
  }
  return { log: () => said }
}
